import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createAuthority } from '../../lab/authority.ts';
import { commonNamePair, expiredPair, issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startHttp, startHttps, startRaw } from './loopback.ts';

const directory = t.testdir({ one: {}, other: {}, expired: {}, legacy: {}, addresses: {} });
const one = await createAuthority(join(directory, 'one'));
const other = await createAuthority(join(directory, 'other'));
const authority = readFileSync(one.certificateFile, 'utf8');
const stranger = readFileSync(other.certificateFile, 'utf8');
const pair = await issuePair(one, 'server', ['127.0.0.1', 'localhost']);
const elsewhere = await issuePair(one, 'elsewhere', ['registry.example']);
const expired = await expiredPair(join(directory, 'expired'));

await t.test('a certificate without a subjectAltName is refused, whatever its common name is', async (t) => {
  const legacy = await commonNamePair(join(directory, 'legacy'), 'localhost');
  const requests: unknown[] = [];
  const { port } = await startHttps(t, legacy, (request) => requests.push(request.url));
  const http = plainHttp({ authorities: [legacy.cert], allAuthorities: neverAsked });
  const sending = http.send(plainRequest(`https://localhost:${port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'certificate-name', message: /no subjectAltName/ });
  t.strictSame(requests, []);
});

await t.test('a common name does not count next to a subjectAltName with only addresses', async (t) => {
  const addressOnly = await commonNamePair(join(directory, 'addresses'), 'localhost', 'IP:127.0.0.1');
  const { port } = await startHttps(t, addressOnly, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [addressOnly.cert], allAuthorities: neverAsked });
  const sending = http.send(plainRequest(`https://localhost:${port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'certificate-name' });
  t.equal((await http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted)).status, 200);
});

await t.test('a certificate of an authority in the settings is trusted', async (t) => {
  const { port } = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [stranger, authority], allAuthorities: neverAsked });
  const response = await http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted);
  t.equal(response.status, 200);
});

await t.test('an authority of the settings replaces all others, and nothing is sent to the rest', async (t) => {
  const requests: unknown[] = [];
  const server = await startHttps(t, pair, (request) => requests.push(request.url));
  const http = plainHttp({ authorities: [stranger], allAuthorities: neverAsked });
  const sending = http.send(plainRequest(`https://127.0.0.1:${server.port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'untrusted' });
  t.strictSame(requests, []);
  t.equal(server.connections(), 1);
});

await t.test('if OpenSSL alone trusts no authority, all authorities are read, once they are needed', async (t) => {
  const requests: unknown[] = [];
  let asked = 0;
  const allAuthorities = (): readonly string[] => {
    t.strictSame(requests, [], 'nothing was sent on the untrusted connection');
    asked += 1;
    return [stranger, authority];
  };
  const server = await startHttps(t, pair, (request, response) => {
    requests.push([request.method, request.url, request.headers['authorization']]);
    response.end('ok');
  });
  const http = plainHttp({ allAuthorities });
  t.equal(asked, 0);
  const request = plainRequest(`https://127.0.0.1:${server.port}/x`, {
    method: 'POST',
    headers: { authorization: 'v' },
    body: 'b',
  });
  t.equal((await http.send(request, neverAborted)).status, 200);
  t.equal(asked, 1);
  t.strictSame(requests, [['POST', '/x', 'v']], 'sent once');
  t.equal(server.connections(), 2);
});

await t.test('when all authorities do not know it either, it stays untrusted', async (t) => {
  for (const allAuthorities of [(): readonly string[] => [stranger], (): readonly string[] => []]) {
    const { port } = await startHttps(t, pair, (_request, response) => response.end('ok'));
    const sending = plainHttp({ allAuthorities }).send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted);
    await t.rejects(sending, { name: 'NetworkError', reason: 'untrusted' });
  }
});

await t.test('trustOnly of a request goes before all other trust', async (t) => {
  const { port } = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [stranger], allAuthorities: neverAsked });
  const trusted = plainRequest(`https://127.0.0.1:${port}`, { trustOnly: authority });
  t.equal((await http.send(trusted, neverAborted)).status, 200);
  await t.rejects(http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted), {
    name: 'NetworkError',
    reason: 'untrusted',
  });
});

await t.test('trustOnly means only', async (t) => {
  const { port } = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority], allAuthorities: neverAsked });
  t.equal((await http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted)).status, 200);
  const strict = plainRequest(`https://127.0.0.1:${port}`, { trustOnly: stranger });
  await t.rejects(
    http.send(strict, neverAborted),
    { name: 'NetworkError', reason: 'untrusted' },
    'a connection kept by other trust is no way in',
  );
});

await t.test('a pinned certificate is the only one that counts, by SHA-256 or SHA-1', async (t) => {
  for (const own of [pair, elsewhere, expired]) {
    const { fingerprint, fingerprint256 } = new X509Certificate(own.cert);
    const { port } = await startHttps(t, own, (_request, response) => response.end('ok'));
    for (const certificatePin of [fingerprint, fingerprint256]) {
      const http = plainHttp({ authorities: [stranger], allAuthorities: neverAsked });
      const pinned = plainRequest(`https://127.0.0.1:${port}`, { certificatePin });
      t.equal((await http.send(pinned, neverAborted)).status, 200);
    }
  }
});

await t.test('if another certificate is pinned, nothing is sent, also to a server that is trusted', async (t) => {
  const requests: unknown[] = [];
  const server = await startHttps(t, pair, (request, response) => {
    requests.push(request.url);
    response.end('ok');
  });
  const address = `https://127.0.0.1:${server.port}`;
  const certificatePin = new X509Certificate(elsewhere.cert).fingerprint256;
  for (const http of [plainHttp({ authorities: [authority] }), plainHttp({ allAuthorities: () => [authority] })]) {
    const sending = http.send(plainRequest(address, { certificatePin, trustOnly: authority }), neverAborted);
    const { fingerprint256 } = new X509Certificate(pair.cert);
    await t.rejects(sending, {
      name: 'NetworkError',
      reason: 'certificate-pin',
      message: `its SHA-256 thumbprint is ${fingerprint256}`,
    });
    t.strictSame(requests, []);
  }

  await t.test('and a connection kept by other trust is no way in', async (t) => {
    const http = plainHttp({ authorities: [authority] });
    t.equal((await http.send(plainRequest(address, {}), neverAborted)).status, 200);
    const sending = http.send(plainRequest(address, { certificatePin }), neverAborted);
    await t.rejects(sending, { name: 'NetworkError', reason: 'certificate-pin' });
    t.equal(requests.length, 1);
  });
});

await t.test('a certificate for another name is refused, and nothing is sent', async (t) => {
  const requests: unknown[] = [];
  const { port } = await startHttps(t, elsewhere, (request) => requests.push(request.url));
  const http = plainHttp({ authorities: [authority] });
  const sending = http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'certificate-name' });
  t.strictSame(requests, []);
});

await t.test('an expired certificate is refused, whichever authority signed it', async (t) => {
  const { port } = await startHttps(t, expired, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [expired.cert] });
  const sending = http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'certificate-date', message: 'CERT_HAS_EXPIRED' });
});

await t.test('one that signed for itself is untrusted', async (t) => {
  const { port } = await startHttps(t, expired, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority] });
  await t.rejects(http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted), {
    name: 'NetworkError',
    reason: /^(?:untrusted|certificate-date)$/,
  });
});

await t.test('a server that speaks plain HTTP fails the handshake', async (t) => {
  const { port } = await startHttp(t, (_request, response) => response.end('ok'));
  const sending = plainHttp({}).send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'tls' });
});

await t.test('a server below TLS 1.2 is refused', async (t) => {
  const old = { ...pair, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
  const { port } = await startHttps(t, old, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority] });
  await t.rejects(http.send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted), {
    name: 'NetworkError',
    reason: 'tls',
  });
});

await t.test('a server that never shakes hands is given up after the time for connecting', async (t) => {
  const { port } = await startRaw(t, () => {});
  const limits = { connectMs: 150, totalMs: 10_000 };
  const sending = plainHttp({}).send(plainRequest(`https://127.0.0.1:${port}`, { limits }), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'connect-timeout', message: '0.15 s' });
});

await t.test('a server that goes away within the handshake has reset it', async (t) => {
  const { port } = await startRaw(t, (socket) => socket.once('data', () => socket.destroy()));
  const sending = plainHttp({}).send(plainRequest(`https://127.0.0.1:${port}`, {}), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'reset' });
});

await t.test('one connection serves several requests in a row', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority] });
  for (let round = 0; round < 3; round += 1) {
    await http.send(plainRequest(`https://127.0.0.1:${server.port}`, {}), neverAborted);
  }
  t.equal(server.connections(), 1);
});

await t.test('a slow answer is waited for longer than the limit for connecting', async (t) => {
  const { port } = await startHttps(t, pair, (_request, response) => {
    setTimeout(() => response.end('late'), 400);
  });
  const http = plainHttp({ authorities: [authority] });
  const limits = { connectMs: 300, totalMs: 10_000 };
  const response = await http.send(plainRequest(`https://127.0.0.1:${port}`, { limits }), neverAborted);
  t.equal(Buffer.from(response.body).toString('utf8'), 'late');
});

function neverAsked(): readonly string[] {
  throw new Error('nobody was to ask for all authorities');
}
