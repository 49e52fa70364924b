import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import t from 'tap';
import { NetworkError } from '../../../lib/http/network-error.ts';
import { createAuthority } from '../../lab/authority.ts';
import { issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startRaw } from './loopback.ts';
import { startScriptedServer, okResponse } from './scripted-server.ts';
import { startTunnelProxy } from './tunnel-proxy.ts';
import { detectUnhandled } from './leaks.ts';

const lab = await createAuthority(t.testdir({}));
const authority = readFileSync(lab.certificateFile, 'utf8');
const unrelatedPair = await issuePair(lab, 'nobody', ['nobody.example']);

await t.test('a proxy over TLS must have a valid certificate before it gets anything', async (t) => {
  const server = await startRaw(t, (socket) => void socket.resume());
  const proxy = await startTunnelProxy(t, server.port, unrelatedPair);
  const address = proxy.address.replace('://', '://user:hunter2@');
  t.match(await failure(address, 'https://registry.example/'), {
    reason: 'certificate-name',
    message: /^(?!.*hunter2)/,
  });
  t.strictSame(proxy.requests, []);
  t.equal(server.connections(), 0);
});

const malformed = ['us%er:hunter2', 'user:hunter2%', 'user:%zzhunter2', 'hunter2%C3:word', '%E2%28hunter2'];

for (const login of malformed) {
  await t.test(
    `a proxy whose login cannot be read (${login.replace('hunter2', '…')}) is asked for nothing`,
    async (t) => {
      const noStrays = detectUnhandled(t);
      const proxy = await startRaw(t, (socket) => socket.on('data', () => t.fail('it was asked')));
      for (const target of ['https://registry.example/', 'http://registry.example/']) {
        const error = await failure(`http://${login}@127.0.0.1:${proxy.port}`, target);
        t.match(error, { name: 'NetworkError', reason: 'proxy', message: /^(?!.*hunter2)/ });
        t.notMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), 'hunter2');
      }
      await noStrays();
    },
  );
}

interface ProxyResponse {
  readonly what: string;
  readonly parts: readonly string[];
  /** The expected message. */
  readonly message: string | RegExp;
  readonly ending?: 'end' | 'reset';
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

const refusals: readonly ProxyResponse[] = [
  {
    what: 'a page with its refusal',
    parts: [`HTTP/1.1 407 No\r\nContent-Length: 6\r\n\r\n<html>`],
    message: 'HTTP 407',
  },
  {
    what: 'a page behind its refusal',
    parts: [`HTTP/1.1 403 No\r\nContent-Length: 6\r\n\r\n`, '<html>'],
    message: 'HTTP 403',
  },
  {
    what: 'a refusal in chunks',
    parts: ['HTTP/1.1 502 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'],
    message: 'HTTP 502',
  },
  {
    what: 'a head that says to wait, which is for requests with a body,',
    parts: ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
    message: 'HTTP 100',
  },
  {
    what: 'a redirection',
    parts: ['HTTP/1.1 301 Moved\r\nLocation: https://elsewhere.example/\r\n\r\n'],
    message: 'HTTP 301',
  },
  { what: 'more than the tunnel', parts: [`${established}x`], message: 'it said more than it was asked' },
  {
    what: 'another answer with the tunnel',
    parts: [established + okResponse('evil')],
    message: 'it said more than it was asked',
  },
  { what: 'another protocol', parts: ['HTTP/1.1 101 Other\r\n\r\n'], message: 'HTTP 101' },
  { what: 'no HTTP', parts: ['SSH-2.0-x\r\n'], message: 'its answer is not HTTP, HPE_INVALID_CONSTANT' },
  { what: 'line feeds alone', parts: ['HTTP/1.1 200 OK\n\n'], message: /^its answer is not HTTP, HPE_/ },
  {
    what: 'a head of two readings',
    parts: ['HTTP/1.1 200 OK\r\nx: y\nz\r\n\r\n'],
    message: /^its answer is not HTTP, HPE_/,
  },
  {
    what: 'endless headers',
    parts: Array.from({ length: 20 }, () => `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000)}`),
    message: /^its answer is not HTTP, HPE_/,
  },
  { what: 'half a head', parts: ['HTTP/1.1 200 OK\r\nx'], ending: 'end', message: 'it closed the connection' },
  {
    what: 'half a head and a reset',
    parts: ['HTTP/1.1 200 OK\r\nx'],
    ending: 'reset',
    message: 'it closed the connection',
  },
  { what: 'nothing', parts: [], ending: 'end', message: 'it closed the connection' },
  { what: 'a reset', parts: [], ending: 'reset', message: 'it closed the connection' },
];

for (const { what, parts, message, ending } of refusals) {
  await t.test(`a proxy that answers ${what} did not let the request through`, async (t) => {
    const noStrays = detectUnhandled(t);
    const proxy = await startScriptedServer(t, (socket) => writeAllParts(socket, parts, ending));
    const error = await failure(`http://user:hunter2@127.0.0.1:${proxy.port}`, 'https://registry.example/');
    t.match(error, { name: 'NetworkError', reason: 'proxy', message });
    t.strictSame(
      proxy.requests.map(({ path }) => path),
      ['registry.example:443'],
      'nothing else was asked of it',
    );
    await noStrays();
  });
}

await t.test('a tunnel is a status of 2xx and nothing else, and an old version of HTTP is enough', async (t) => {
  const answers = [
    ['HTTP/1.0 200 OK\r\n\r\n'],
    ['HTTP/1.1 200\r\n\r\n'],
    ['HTTP/1.1 204 OK\r\nContent-Length: 40\r\n\r\n'],
    established.split(/(?=.)/s),
  ];
  for (const parts of answers) {
    const { promise: secured, resolve } = Promise.withResolvers<Buffer>();
    const proxy = await startRaw(t, (socket) => {
      socket.once('data', () => {
        writeAllParts(socket, parts, undefined);
        socket.once('data', (part) => {
          resolve(part);
          socket.destroy();
        });
      });
    });
    t.match(await failure(`http://127.0.0.1:${proxy.port}`, 'https://registry.example/'), { reason: 'reset' });
    t.equal((await secured)[0], 0x16, 'a handshake followed');
  }
});

await t.test(
  'half an answer of a proxy that goes on to say nothing is given up after the time for connecting',
  async (t) => {
    const proxy = await startScriptedServer(t, (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: '));
    const error = await failure(`http://127.0.0.1:${proxy.port}`, 'https://registry.example/');
    t.match(error, { reason: 'connect-timeout', message: '0.3 s' });
  },
);

async function failure(proxy: string, address: string): Promise<NetworkError> {
  const http = plainHttp({ authorities: [authority], proxies: { http: proxy, https: proxy, no: '' } });
  const limits = { connectMs: 300, totalMs: 5_000 };
  try {
    await http.send(plainRequest(address, { route: 'proxied', limits }), neverAborted);
  } catch (error) {
    if (error instanceof NetworkError) return error;
    throw error;
  }
  throw new Error('there was an answer');
}

function writeAllParts(socket: Socket, parts: readonly string[], ending: ProxyResponse['ending']): void {
  const [part, ...more] = parts;
  if (part !== undefined) {
    socket.write(part, 'latin1', () => setImmediate(writeAllParts, socket, more, ending));
    return;
  }
  if (ending === 'end') socket.end();
  if (ending === 'reset') socket.resetAndDestroy();
}
