import { X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { realHost } from '../../../lib/host.ts';
import { certificateSource } from '../../../lib/server/certificate/certificate-source.ts';
import { makeSelfSigned } from '../../../lib/server/certificate/self-signed.ts';
import type { KeyPair } from '../../../lib/server/certificate/self-signed.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { sendRequest } from './send-request.ts';
import { startTestServer } from './test-server.ts';

const dayMs = 86_400_000;
const { readText } = realHost;

await t.test('in memory: the same until a month before its end', async (t) => {
  const clock = createFakeClock(Date.now());
  const source = certificateSource({ kind: 'memory' }, { clock, readText });
  const first = await source();
  t.ok(new X509Certificate(first.cert).checkHost('localhost'));
  await clock.advance(334 * dayMs);
  t.equal(await source(), first);
  await clock.advance(2 * dayMs);
  t.not((await source()).cert, first.cert);
});

await t.test('a directory: the certificate is created once, with a private key file, and used again', async (t) => {
  const directory = join(t.testdir({}), 'new');
  const place = { kind: 'directory', directory, name: 'controller' } as const;
  const parts = { clock: createFakeClock(Date.now()), readText };
  const first = await certificateSource(place, parts)();
  t.equal((await stat(join(directory, 'controller.key'))).mode & 0o777, 0o600);
  t.strictSame(await certificateSource(place, parts)(), first);
});

await t.test('half a pair is an error, and it is not overwritten', async (t) => {
  const directory = t.testdir({ 'controller.crt': 'mine' });
  const source = certificateSource(
    { kind: 'directory', directory, name: 'controller' },
    { clock: createFakeClock(0), readText },
  );
  await t.rejects(source(), { kind: 'misconfigured', message: /controller\.key does not exist/ });
  t.equal(await readFile(join(directory, 'controller.crt'), 'utf8'), 'mine');
});

await t.test('files are read again when they change; what does not fit together is not used', async (t) => {
  const directory = t.testdir({});
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  const [first, second] = [make(), make()];
  await writeFile(certFile, first.cert);
  await writeFile(keyFile, first.key);
  const clock = createFakeClock(Date.now());
  const certificate = certificateSource({ kind: 'files', certFile, keyFile }, { clock, readText });
  const { port, lines } = await startTestServer(t, { clock, certificate });
  const fingerprint = async (): Promise<string> => (await sendRequest(port, '/healthz', {})).fingerprint;
  t.equal(await fingerprint(), fingerprintOf(first));

  await writeFile(certFile, second.cert);
  await clock.advance(30_000);
  t.equal(await fingerprint(), fingerprintOf(first));
  t.strictSame(lines, [
    'The server keeps the certificate it has err="certificate and key do not belong together" hint="check both files"',
  ]);

  await writeFile(keyFile, second.key);
  await clock.advance(10_000);
  t.equal(await fingerprint(), fingerprintOf(second));

  await writeFile(certFile, 'half a cert');
  await clock.advance(10_000);
  t.equal(await fingerprint(), fingerprintOf(second));
  t.notMatch(lines.join('\n'), /PRIVATE|half/);
});

function make(): KeyPair {
  return makeSelfSigned({ hosts: ['localhost'], fromMs: Date.now() - dayMs, untilMs: Date.now() + dayMs });
}

function fingerprintOf({ cert }: KeyPair): string {
  return new X509Certificate(cert).fingerprint256;
}
