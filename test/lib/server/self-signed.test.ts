import { X509Certificate, createPrivateKey } from 'node:crypto';
import t from 'tap';
import { makeSelfSigned } from '../../../lib/server/certificate/self-signed.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';
import { neverAborted, plainHttp, plainRequest, startHttps } from '../http/loopback.ts';

const dayMs = 86_400_000;
const fromMs = Date.parse('2026-11-18T12:00:00.700Z');

await t.test('it is a certificate as others read them', (t) => {
  const hosts = ['node-1.example', 'localhost', '127.0.0.1', '::1', 'fd00::a:1', '2001:db8:1:2:3:4:5:6', '::'];
  const pair = makeSelfSigned({ hosts, fromMs, untilMs: fromMs + 365 * dayMs });
  const certificate = new X509Certificate(pair.cert);
  t.equal(certificate.subject, 'CN=node-1.example');
  t.equal(certificate.issuer, certificate.subject);
  t.ok(certificate.verify(certificate.publicKey));
  t.ok(certificate.checkPrivateKey(createPrivateKey(pair.key)));
  t.equal(certificate.validFromDate.toISOString(), '2026-11-18T12:00:00.000Z');
  t.equal(certificate.validToDate.toISOString(), '2027-11-18T12:00:00.000Z');
  t.notOk(certificate.ca);
  t.strictSame(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  for (const name of ['node-1.example', 'localhost']) t.equal(certificate.checkHost(name), name);
  for (const address of hosts.slice(2)) t.ok(certificate.checkIP(address), address);
  t.notOk(certificate.checkHost('other.example'));
  t.notOk(certificate.checkIP('127.0.0.2'));
  t.end();
});

await t.test('dates beyond 2049, many hosts, and no two serial numbers alike', (t) => {
  const hosts = Array.from({ length: 100 }, (_, index) => `host-${index}.example`);
  const request = { hosts, fromMs, untilMs: Date.parse('2050-01-01T00:00:00Z') };
  const [first, second] = [makeSelfSigned(request), makeSelfSigned(request)].map(
    ({ cert }) => new X509Certificate(cert),
  );
  t.equal(first?.validToDate.toISOString(), '2050-01-01T00:00:00.000Z');
  t.equal(first?.checkHost('host-99.example'), 'host-99.example');
  t.not(first?.serialNumber, second?.serialNumber);
  t.end();
});

await t.test('a client that trusts it can connect', async (t) => {
  const pair = makeSelfSigned({ hosts: ['127.0.0.1'], fromMs: Date.now() - dayMs, untilMs: Date.now() + dayMs });
  const server = await startHttps(t, pair, (_, response) => response.end('here'));
  const ask = (trustOnly: string): Promise<unknown> =>
    plainHttp({}).send(plainRequest(`https://127.0.0.1:${server.port}/`, { trustOnly }), neverAborted);
  t.match(await ask(pair.cert), { status: 200 });
  const other = makeSelfSigned({ hosts: ['127.0.0.1'], fromMs: Date.now() - dayMs, untilMs: Date.now() + dayMs });
  const refusal: unknown = await ask(other.cert).catch((error: unknown) => error);
  t.ok(refusal instanceof NetworkError && refusal.reason === 'untrusted');
});
