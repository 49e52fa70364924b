import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Test } from 'tap';
import type { HttpSettings } from '../../../lib/http/create-http.ts';
import { NetworkError, networkFailure } from '../../../lib/http/network-error.ts';
import { createAuthority } from '../../lab/authority.ts';
import { issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startHttp, startHttps, startRaw } from './loopback.ts';
import { startTunnelProxy } from './tunnel-proxy.ts';

const directory = t.testdir({ trusted: {}, stranger: {} });
const [trusted, stranger] = await Promise.all([
  createAuthority(`${directory}/trusted`),
  createAuthority(`${directory}/stranger`),
]);
const authorities = [readFileSync(trusted.certificateFile, 'utf8')];
const strangersPair = await issuePair(stranger, 'stranger', ['127.0.0.1', 'registry.example']);
const strayPair = await issuePair(trusted, 'stray', ['elsewhere.example']);

interface Case {
  readonly what: string;
  /** Gives the proxy's address. */
  start(t: Test): Promise<string>;
  readonly reason: string;
  readonly says: RegExp;
}

const failures: readonly Case[] = [
  {
    what: 'refuses the connection',
    start: async (t) => {
      const { port, close } = await startRaw(t, (socket) => socket.destroy());
      await close();
      return `http://127.0.0.1:${port}`;
    },
    reason: 'refused',
    says: /: the connection was refused \(ECONNREFUSED\)$/,
  },
  {
    what: 'has a name that does not exist',
    start: async () => 'http://proxy.invalid:3128',
    reason: 'name-not-found',
    says: /: its name could not be resolved /,
  },
  {
    what: 'accepts and says nothing',
    start: async (t) => `http://127.0.0.1:${(await startRaw(t, (socket) => void socket.resume())).port}`,
    reason: 'connect-timeout',
    says: /: no connection within the time allowed \(0\.3 s\)$/,
  },
  {
    what: 'closes the connection',
    start: async (t) =>
      `http://127.0.0.1:${(await startRaw(t, (socket) => socket.once('data', () => socket.end()))).port}`,
    reason: 'proxy',
    says: /: it did not let the request through \(it closed the connection\)$/,
  },
  {
    what: 'refuses the tunnel',
    start: async (t) =>
      `http://127.0.0.1:${
        (await startRaw(t, (socket) => socket.once('data', () => socket.end('HTTP/1.1 403 No\r\n\r\n')))).port
      }`,
    reason: 'proxy',
    says: /: it did not let the request through \(HTTP 403\)$/,
  },
  {
    what: 'has a certificate of an unknown authority',
    start: async (t) => `https://127.0.0.1:${(await startHttps(t, strangersPair, () => {})).port}`,
    reason: 'untrusted',
    says: /: its certificate was signed by an authority that this node does not trust /,
  },
  {
    what: 'has a certificate for another name',
    start: async (t) => `https://127.0.0.1:${(await startHttps(t, strayPair, () => {})).port}`,
    reason: 'certificate-name',
    says: /: its certificate is for another name /,
  },
  {
    what: 'speaks no TLS where the address says so',
    start: async (t) => `https://127.0.0.1:${(await startRaw(t, (socket) => void socket.end('no TLS'))).port}`,
    reason: 'tls',
    says: /: the TLS handshake failed /,
  },
];

for (const { what, start, reason, says } of failures) {
  await t.test(`a proxy that ${what} is named, with its variable`, async (t) => {
    const address = await start(t);
    const error = await failureOf('https://registry.example/', { https: withPassword(address), no: '' });
    t.equal(error.reason, reason);
    t.strictSame(error.proxy, { address, variable: 'HTTPS_PROXY' });
    const { message, remedy } = networkFailure('registry.example', error);
    t.ok(message.startsWith(`registry.example: the proxy ${address} (HTTPS_PROXY): `), message);
    t.match(message, says);
    t.match(remedy, /^check HTTPS_PROXY and NO_PROXY/);
    t.notMatch(message + remedy, /hunter2/);
  });
}

await t.test('for http the variable is HTTP_PROXY', async (t) => {
  const { port, close } = await startRaw(t, (socket) => socket.destroy());
  await close();
  const address = `http://127.0.0.1:${port}`;
  const error = await failureOf('http://registry.example/', { http: address, no: '' });
  t.strictSame(error.proxy, { address, variable: 'HTTP_PROXY' });
});

await t.test('over http the proxy answers, so what fails after the connection is the proxy’s too', async (t) => {
  const { port } = await startHttp(t, (request) => request.socket.destroy());
  const address = `http://127.0.0.1:${port}`;
  const error = await failureOf('http://registry.example/', { http: address, no: '' });
  t.strictSame(error.proxy, { address, variable: 'HTTP_PROXY' });
});

await t.test('what fails behind the tunnel is the server’s failure', async (t) => {
  const server = await startHttps(t, strangersPair, (_request, response) => response.end('ok'));
  const proxy = await startTunnelProxy(t, server.port, undefined);
  const error = await failureOf('https://registry.example/', { https: proxy.address, no: '' });
  t.equal(error.reason, 'untrusted');
  t.equal(error.proxy, undefined);
  t.match(networkFailure('registry.example', error).message, /^registry\.example: its certificate was signed/);
});

await t.test('an address of a proxy that cannot be used names the variables', async (t) => {
  const error = await failureOf('https://registry.example/', { https: 'socks5://127.0.0.1:1', no: '' });
  const { message, remedy } = networkFailure('registry.example', error);
  t.equal(
    message,
    'registry.example: the proxy: it did not let the request through (its address is not http or https)',
  );
  t.equal(remedy, 'check HTTPS_PROXY and NO_PROXY');
});

function withPassword(address: string): string {
  return address.replace('://', '://user:hunter2@');
}

async function failureOf(address: string, proxies: HttpSettings['proxies']): Promise<NetworkError> {
  const limits = { connectMs: 300, totalMs: 5_000 };
  const request = plainRequest(address, { route: 'proxied', limits });
  const error: unknown = await plainHttp({ authorities, proxies })
    .send(request, neverAborted)
    .catch((reason: unknown) => reason);
  if (error instanceof NetworkError) return error;
  throw new Error('there was no NetworkError');
}
