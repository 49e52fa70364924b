import t from 'tap';
import type { Socket } from 'node:net';
import { brokerLimits } from '../../../../schemas/broker.ts';
import { requires } from '../../../lab/requires.ts';
import {
  copyUnderName,
  createFrontEndFixture,
  startFakeBroker,
  frontSupport,
  parseFullProgramStart,
  defaultCall,
} from './fixture.ts';

const answer = '{"kind":"CredentialProviderResponse"}';
const whole = `polycloud/2\nanswer\n${answer}\nend\n`;

/** A whole answer of this length. */
function answerOf(bytes: number): string {
  return whole.replace('{', `{${' '.repeat(bytes - whole.length)}`);
}

await t.test('the front end', requires(await frontSupport()), async (t) => {
  const stage = await createFrontEndFixture();
  t.teardown(stage.stop);
  const { ask, socketPath } = stage;

  await t.test('hands over what the kubelet wrote, and the answer back', async (t) => {
    const broker = await startFakeBroker(socketPath, (socket) => socket.end(whole));
    t.teardown(broker.close);
    t.match(await ask(), { stdout: `${answer}\n`, stderr: '', code: 0 });
    const input = `{"image":"a"}${'\u0000\n\r '.repeat(4_000)}`;
    t.equal((await ask({ input })).stdout, `${answer}\n`);
    t.strictSame(broker.received, [
      `polycloud/2 polycloud-credential-provider\n${defaultCall.input}`,
      `polycloud/2 polycloud-credential-provider\n${input}`,
    ]);
  });

  await t.test('takes an answer that is just short enough', async (t) => {
    const broker = await startFakeBroker(socketPath, (socket) => socket.end(answerOf(brokerLimits.answerBytes - 1)));
    t.teardown(broker.close);
    t.equal(parseFullProgramStart(await ask()), undefined);
  });

  await t.test('hands over the name that it was called by', async (t) => {
    const broker = await startFakeBroker(socketPath, (socket) => socket.end(whole));
    t.teardown(broker.close);
    await copyUnderName(stage.host, 'polycloud-credential-provider-aws-pod');
    await ask({ baseName: 'polycloud-credential-provider-aws-pod' });
    t.match(broker.received, [/^polycloud\/2 polycloud-credential-provider-aws-pod\n/]);
  });

  await t.test('a failure goes to standard error, and the exit code is 1', async (t) => {
    const text = 'polycloud-credential-provider: no; hint: do\nsecond line';
    const broker = await startFakeBroker(socketPath, (socket) => socket.end(`polycloud/2\nfailure\n${text}\nend\n`));
    t.teardown(broker.close);
    t.match(await ask(), { stdout: '', stderr: `${text}\n`, code: 1 });
  });

  /** What a broker may do wrong; the full program answers, and finds standard input as it was. */
  const wrongs: Readonly<Record<string, (socket: Socket) => void>> = {
    declines: (socket) => socket.end('polycloud/2\ndecline\nnot here\nend\n'),
    'says nothing': (socket) => socket.end(),
    'is of the last version': (socket) => socket.end('polycloud/1 decline\nanother version of the protocol\nend\n'),
    'answers as the last version did': (socket) => socket.end(`polycloud/1 answer\n${answer}\nend\n`),
    'is of the next version': (socket) => socket.end(`polycloud/3\nanswer\n${answer}\nend\n`),
    'gives only a sign of life': (socket) => socket.end('polycloud/2\n'),
    'answers garbage': (socket) => socket.end(Buffer.from('\u0000\u0001\u0002garbage'.repeat(100))),
    'answers with no object': (socket) => socket.end('polycloud/2\nanswer\n\nend\n'),
    'answers without a body': (socket) => socket.end('polycloud/2\nanswer\nend\n'),
    'answers without a last line': (socket) => socket.end(`polycloud/2\nanswer\n${answer}\n`),
    'answers with half a last line': (socket) => socket.end(`polycloud/2\nanswer\n${answer}\nen`),
    'goes on after the last line': (socket) => socket.end(`${whole}more`),
    'answers half': (socket) => socket.end(whole.slice(0, 40)),
    'is killed in the middle of the answer': (socket) => {
      socket.write(whole.slice(0, 40), () => socket.destroy());
    },
    'answers more than there is room for': (socket) => socket.end(`polycloud/2\nanswer\n${'x'.repeat(40_000)}\nend\n`),
    'answers as much as there is room for': (socket) => socket.end(answerOf(brokerLimits.answerBytes)),
    'answers more, and looks whole where the room ends': (socket) =>
      socket.end(`${answerOf(brokerLimits.answerBytes)}more`),
    'answers with no end': (socket) => {
      const more = (): void => void (socket.writable && socket.write('x'.repeat(10_000), more));
      more();
    },
  };
  for (const [what, behave] of Object.entries(wrongs)) {
    await t.test(`a broker that ${what}`, async (t) => {
      const broker = await startFakeBroker(socketPath, behave);
      t.teardown(broker.close);
      const result = await ask();
      t.match(result, { code: 0, stderr: '' });
      t.match(parseFullProgramStart(result), { bytes: defaultCall.input.length, arguments: 0 });
      t.equal(broker.connections(), 1);
      t.ok(result.durationMs < 5_000);
    });
  }

  await t.test('a broker that closes without reading', async (t) => {
    const broker = await startFakeBroker(socketPath, () => {});
    t.teardown(broker.close);
    broker.server.prependListener('connection', (socket: Socket) => socket.destroy());
    const input = 'x'.repeat(900_000);
    t.match(parseFullProgramStart(await ask({ input })), { bytes: 900_000 });
  });

  await t.test('nobody listens any more', async (t) => {
    const broker = await startFakeBroker(socketPath, () => {});
    broker.close();
    t.match(parseFullProgramStart(await ask()), { bytes: defaultCall.input.length });
  });

  await t.test('the full program is started by the name that we were, with our environment', async (t) => {
    const result = parseFullProgramStart(await ask({ env: { HOME: '/nowhere', LANG: 'C' } }));
    t.match(result, { full: '/run/plugins/polycloud-credential-provider', variables: 'HOME LANG ' });
  });

  await t.test('as much input as the full program takes, and more', async (t) => {
    const broker = await startFakeBroker(socketPath, (socket) => socket.end());
    t.teardown(broker.close);
    for (const bytes of [0, 1, 65_536, 1_000_000, 1_000_001]) {
      t.equal(parseFullProgramStart(await ask({ input: 'x'.repeat(bytes) }))?.bytes, bytes);
    }
    t.ok(
      (parseFullProgramStart(await ask({ input: 'x'.repeat(1_050_000) }))?.bytes ?? 0) > 1_000_000,
      'still too much',
    );
  });
});
