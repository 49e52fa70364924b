import { readFile } from 'node:fs/promises';
import t from 'tap';
import { userOfSubject } from '../../../lib/server/access/credentials.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { createAuthority } from '../../lab/authority.ts';
import type { CertificateFiles } from '../../lab/authority.ts';
import { sendRequest } from './send-request.ts';
import { startTestServer } from './test-server.ts';

interface ClientCertificate {
  readonly key: string;
  readonly cert: string;
}

const directory = t.testdir({});
const authority = await createAuthority(directory);
const stranger = await createAuthority(directory, 'stranger');
const known = await readFile(authority.certificateFile, 'utf8');
const unknown = await readFile(stranger.certificateFile, 'utf8');
const scraper = await readCertificate(authority.issueClient('scraper', { user: 'scraper', groups: ['watchers'] }));
const master = await readCertificate(
  authority.issueClient('master', { user: 'anybody', groups: ['a', 'system:masters'] }),
);
const forged = await readCertificate(stranger.issueClient('forged', { user: 'anybody', groups: ['system:masters'] }));
const serverOnly = await readCertificate(authority.issue('server', ['scraper']));

await t.test("a certificate of the cluster's authority identifies a user", async (t) => {
  const { port, asked } = await startTestServer(t, { clientAuthorities: () => Promise.resolve(known) });
  t.match(await sendRequest(port, '/metrics', scraper), { status: 200 });
  t.match(await sendRequest(port, '/statusz', scraper), { status: 403 });
  t.strictSame(asked, ['scraper get /metrics', 'scraper get /statusz']);
});

await t.test('members of system:masters may see everything, without asking', async (t) => {
  const { port, asked } = await startTestServer(t, { clientAuthorities: () => Promise.resolve(known) });
  t.match(await sendRequest(port, '/statusz', master), { status: 200, text: 'all is well\n' });
  t.match(await sendRequest(port, '/nothing', master), { status: 404 });
  t.strictSame(asked, []);
});

const untrustedCertificates: readonly (readonly [what: string, certificate: ClientCertificate])[] = [
  ["somebody else's authority signed it", forged],
  ['it is for servers', serverOnly],
];

for (const [what, certificate] of untrustedCertificates) {
  await t.test(`a certificate is ignored if ${what}`, async (t) => {
    const { port } = await startTestServer(t, { clientAuthorities: () => Promise.resolve(known) });
    t.match(await sendRequest(port, '/metrics', certificate), { status: 403, text: /system:anonymous/ });
  });
}

await t.test('without a known authority every certificate is ignored', async (t) => {
  const { port } = await startTestServer(t, { clientAuthorities: () => Promise.reject(new Error('away')) });
  t.match(await sendRequest(port, '/statusz', master), { status: 403, text: /system:anonymous/ });
});

await t.test('a replaced authority is no longer trusted, also on open connections', async (t) => {
  const clock = createFakeClock(Date.now());
  let authorities = known;
  const { port } = await startTestServer(t, { clock, clientAuthorities: () => Promise.resolve(authorities) });
  t.match(await sendRequest(port, '/statusz', master), { status: 200 });
  authorities = unknown;
  await clock.advance(10_000);
  t.match(await sendRequest(port, '/statusz', master), { status: 403, text: /system:anonymous/ });
  t.match(await sendRequest(port, '/statusz', forged), { status: 200 });
});

await t.test('an expired certificate is ignored, also on a connection that began before', async (t) => {
  const clock = createFakeClock(Date.now() + 31 * 86_400_000);
  const { port } = await startTestServer(t, { clock, clientAuthorities: () => Promise.resolve(known) });
  t.match(await sendRequest(port, '/statusz', master), { status: 403, text: /system:anonymous/ });
});

await t.test('the subject is read as the API server reads it', (t) => {
  t.strictSame(userOfSubject({ CN: 'a', O: 'b' }), { username: 'a', groups: ['b', 'system:authenticated'] });
  t.strictSame(userOfSubject({ CN: ['a', 'b'] }), { username: 'b', groups: ['system:authenticated'] });
  t.equal(userOfSubject({ O: 'system:masters' }), undefined);
  t.equal(userOfSubject({ CN: '' }), undefined);
  t.end();
});

async function readCertificate(files: Promise<CertificateFiles>): Promise<ClientCertificate> {
  const { keyFile, certificateFile } = await files;
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certificateFile, 'utf8') };
}
