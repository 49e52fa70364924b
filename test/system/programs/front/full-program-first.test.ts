import { mkdir, writeFile } from 'node:fs/promises';
import t from 'tap';
import { emulatedProviderNames } from '../../../../schemas/broker.ts';
import { requires } from '../../../lab/requires.ts';
import {
  copyUnderName,
  createFrontEndFixture,
  startFakeBroker,
  frontSupport,
  parseFullProgramStart,
} from './fixture.ts';
import type { FrontCall } from './fixture.ts';

const settings = [
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AZURE_CLIENT_ID',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GCE_METADATA_HOST',
  'SSL_CERT_FILE',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
];
const home = { HOME: '/nowhere' };

await t.test('where the full program is to answer, no broker is asked', requires(await frontSupport()), async (t) => {
  const stage = await createFrontEndFixture();
  t.teardown(stage.stop);
  const broker = await startFakeBroker(stage.socketPath, (socket) => socket.end('polycloud/2\nanswer\n{}\nend\n'));
  t.teardown(broker.close);
  for (const name of emulatedProviderNames) await copyUnderName(stage.host, name);
  await mkdir(stage.host.path('/run/home/.aws'), { recursive: true });
  await writeFile(stage.host.path('/run/home/.aws/config'), '');
  const cases: Readonly<Record<string, Partial<FrontCall>>> = {
    'an argument': { args: ['--config', '/etc/x.yaml'] },
    'a command': { args: ['doctor', 'image'] },
    'a file of a profile': { env: { HOME: '/run/home' } },
    'a home that cannot be told': { env: { HOME: 'relative' } },
    'a home of no name': { env: { HOME: '' } },
    'a home with a name too long': { env: { HOME: `/${'x'.repeat(5_000)}` } },
    ...Object.fromEntries(emulatedProviderNames.map((baseName) => [baseName, { baseName }])),
    ...Object.fromEntries(settings.map((name) => [name, { env: { ...home, [name]: 'x' } }])),
    ...Object.fromEntries(settings.map((name) => [`${name}, though empty`, { env: { ...home, [name]: '' } }])),
  };
  for (const [what, call] of Object.entries(cases)) {
    await t.test(what, async (t) => {
      const started = parseFullProgramStart(await stage.ask(call));
      t.equal(started?.arguments, call.args?.length ?? 0);
      t.equal(broker.connections(), 0);
    });
  }

  await t.test('what only looks like a setting is none', async (t) => {
    const env = { ...home, MY_AWS_REGION: 'x', PATH: '/bin', NO_PROXY_AT_ALL: 'x', LANG: 'C', KUBECONFIG: '/x' };
    t.equal(parseFullProgramStart(await stage.ask({ env })), undefined);
    t.equal(broker.connections(), 1);
  });
});
