import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { findCompiler } from '../../../../build/executables/compiler.ts';
import { compileFrontEnd } from '../../../../build/executables/front-end.ts';
import { requires } from '../../../lab/requires.ts';
import { pluginDirectory, pluginName } from '../../../lab/warm/warm-host.ts';
import { createFrontEndFixture, startFakeBroker, frontSupport, parseFullProgramStart, defaultCall } from './fixture.ts';
import { createWarmNode, passwordOf } from './warm-node.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app';
/** Far less than the full program takes, and than any limit of time. */
const soonMs = 1_000;
/** The front end of the last version, as it was shipped. */
const previousSource = fileURLToPath(new URL('../../../fixtures/front-end-polycloud-1/front-end.c', import.meta.url));

await t.test(
  'a front end of the last version gets the same answer from this broker',
  requires(await frontSupport()),
  async (t) => {
    const node = await createWarmNode();
    t.teardown(node.stop);
    const previous = join(t.testdir(), 'front-end');
    await compileFrontEnd(findCompiler(hostArchitecture()) ?? 'gcc', previousSource, previous);
    const answers = { current: await node.ask({ image }), previous: undefined };
    const place = node.host.path(`${pluginDirectory}/${pluginName}`);
    await copyFile(previous, `${place}.new`);
    await chmod(`${place}.new`, 0o755);
    await node.host.run('/bin/mv', [`${pluginDirectory}/${pluginName}.new`, `${pluginDirectory}/${pluginName}`], {
      env: {},
      input: '',
      timeoutMs: 5_000,
    });
    const answer = await node.ask({ image });
    t.equal(passwordOf(answer), passwordOf(answers.current));
    t.match(answer, { code: 0, stderr: '' });
    t.ok(answer.durationMs < soonMs, `${answer.durationMs} ms`);
    t.equal(await node.logins(), 1, 'the full program was not started');
    const { status } = await node.broker.send({});
    t.strictSame(status.requests, { answer: 2, failure: 0, decline: 0 });

    await t.test('and the same failure', async (t) => {
      await node.network.aws.addFault({ service: 'ecr', kind: 'status', status: 403 });
      const other = await node.ask({ image: image.replace('1234', '4321') });
      t.match(other, { code: 1, stdout: '', stderr: /^polycloud-credential-provider: .*; hint: .*\n$/ });
      t.equal((await node.broker.send({})).status.requests.failure, 1);
    });
  },
);

/** What the last version answers to a protocol that it does not know, byte for byte. */
const previousReply = 'polycloud/1 decline\nanother version of the protocol\nend\n';

await t.test(
  'this front end starts the full program at once before a broker of the last version',
  requires(await frontSupport()),
  async (t) => {
    const stage = await createFrontEndFixture();
    t.teardown(stage.stop);
    const broker = await startFakeBroker(stage.socketPath, (socket) => socket.end(previousReply));
    t.teardown(broker.close);
    const result = await stage.ask();
    t.match(parseFullProgramStart(result), { bytes: defaultCall.input.length });
    t.equal(broker.connections(), 1);
    t.ok(result.durationMs < soonMs, `${result.durationMs} ms`);
  },
);
