import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { clouds } from '../../../clouds/index.ts';
import { askBroker } from '../../../credential-provider/doctor/ask-broker.ts';
import type { BrokerReply } from '../../../credential-provider/doctor/ask-broker.ts';
import { brokerFinding, neutralPrefixes, whyNotAsked } from '../../../credential-provider/doctor/broker.ts';
import { brokerProtocol } from '../../../schemas/broker.ts';

const name = 'polycloud-credential-provider';
const home = t.testdir({ '.aws': { credentials: '' } });
const call = { name, args: [], env: { PATH: '/bin', HOME: '/nowhere' } };

await t.test('the front end asks the broker under the same conditions', (t) => {
  t.equal(whyNotAsked(call, clouds), undefined);
  t.match(whyNotAsked({ ...call, args: ['--config', 'x'] }, clouds), /the entry has arguments/);
  t.match(whyNotAsked({ ...call, name: 'ecr-credential-provider' }, clouds), /name of another provider/);
  for (const variable of ['HTTPS_PROXY', 'SSL_CERT_FILE', 'AWS_PROFILE', 'AZURE_CLIENT_ID', 'GOOGLE_X']) {
    const why = whyNotAsked({ ...call, env: { [variable]: 'a secret' } }, clouds);
    t.match(why, new RegExp(`has ${variable}$`));
  }
  t.match(whyNotAsked({ ...call, env: { HOME: home } }, clouds), /\.aws\/credentials exists$/);
  t.equal(whyNotAsked({ ...call, env: { HOME: '/nowhere', HTTPS_PROXY_X: '' } }, clouds), undefined);
  t.end();
});

await t.test('the list of variables is that of the front end', (t) => {
  const source = readFileSync(join(projectDirectory, 'credential-provider/front/front-end.c'), 'utf8');
  const list = /variable_prefixes\[\] = \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const listed = new Set([...list.matchAll(/"([^"]*)"/g)].map(([, prefix]) => prefix));
  t.strictSame(listed, new Set(neutralPrefixes));
  t.end();
});

await t.test('without a front end the broker is not asked, and with one the reason is named', async (t) => {
  const binDirectory = t.testdir({ [name]: 'small', other: { [name]: 'small', [`${name}-full`]: 'large' } });
  const found = { ...call, binDirectory, request: '{}' };
  t.match(await brokerFinding(found, clouds), { code: 'broker-not-installed', outcome: 'ok' });
  t.match(await brokerFinding({ ...found, name: 'absent' }, clouds), { code: 'broker-not-installed' });
  const withFront = { ...found, binDirectory: join(binDirectory, 'other') };
  const asked = await brokerFinding({ ...withFront, args: ['--config', 'x'] }, clouds);
  t.match(asked, { code: 'broker-not-asked', outcome: 'warning', said: /arguments/ });
  symlinkSync(name, join(binDirectory, 'other', `${name}-aws-pod`));
  const linked = { ...withFront, name: `${name}-aws-pod`, env: { AWS_PROFILE: 'x' } };
  t.match(await brokerFinding(linked, clouds), { code: 'broker-not-asked', said: /AWS_PROFILE/ });
});

const replies: ReadonlyArray<readonly [sent: string, reply: BrokerReply]> = [
  [`${brokerProtocol}\nanswer\n{}\nend\n`, { kind: 'reply', outcome: 'answer', text: '{}' }],
  [`${brokerProtocol}\nfailure\none\ntwo\nend\n`, { kind: 'reply', outcome: 'failure', text: 'one\ntwo' }],
  [`${brokerProtocol}\ndecline\nno\nend\n`, { kind: 'reply', outcome: 'decline', text: 'no' }],
  [`${brokerProtocol}\nanswer\n{}`, { kind: 'none', why: 'it sent no whole answer' }],
  ['polycloud/1 answer\n{}\nend\n', { kind: 'none', why: 'it sent no whole answer' }],
  ['', { kind: 'none', why: 'it sent no whole answer' }],
];
for (const [sent, reply] of replies) {
  await t.test(`a broker that sends ${JSON.stringify(sent)}`, async (t) => {
    // The path of a socket has at most 107 characters.
    const directory = mkdtempSync(join(tmpdir(), 'polycloud-'));
    t.teardown(() => rmSync(directory, { recursive: true }));
    const path = join(directory, 'b');
    const requests: Promise<string>[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      requests.push(text(socket).finally(() => socket.end(sent)));
    });
    await new Promise<void>((resolve) => {
      server.listen(path, resolve);
    });
    t.strictSame(await askBroker(path, name, '{"a":1}'), reply);
    t.strictSame(await Promise.all(requests), [`${brokerProtocol} ${name}\n{"a":1}`]);
    server.close();
  });
}

await t.test('nothing listens', async (t) => {
  const path = '/nowhere/b';
  t.strictSame(await askBroker(path, name, '{}'), { kind: 'none', why: 'nothing listens there (ENOENT)' });
});
