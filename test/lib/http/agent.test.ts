import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { Agent } from '../../../lib/http/agent.ts';
import { exchange } from '../../../lib/http/exchange.ts';
import type { Http, HttpRequest } from '../../../lib/http/http.ts';
import { readBody } from '../../../lib/http/read-body.ts';
import { createResolver } from '../../../lib/http/resolve.ts';
import { createAuthority } from '../../lab/authority.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startHttps, startRaw } from './loopback.ts';
import { startScriptedServer, okResponse } from './scripted-server.ts';
import { startTunnelProxy } from './tunnel-proxy.ts';
import { assertNoSocketsLeft, detectUnhandled } from './leaks.ts';

const lab = await createAuthority(t.testdir({}));
const authority = readFileSync(lab.certificateFile, 'utf8');
const pair = await issuePair(lab, 'server', ['127.0.0.1', 'localhost', 'registry.example']);

await t.test('however many ask at once, no connection has two requests at the same time', async (t) => {
  const noStrays = detectUnhandled(t);
  const waiting = new Map<Socket, number>();
  const server = await startScriptedServer(t, (socket, { path }) => {
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
    t.equal(waiting.get(socket), 1, path);
    setImmediate(() => {
      waiting.set(socket, 0);
      socket.write(okResponse(path));
    });
  });
  const http = plainHttp({});
  for (let round = 1; round <= 4; round += 1) {
    const paths = Array.from({ length: 60 }, (_, index) => `/${round}-${index}`);
    const bodies = await Promise.all(paths.map((path) => ask(http, `${server.address}${path}`)));
    t.strictSame(bodies, paths, 'everybody has their own answer');
  }
  t.equal(server.requests.length, 240);
  t.ok(server.connections() <= 60, `${server.connections()} connections`);
  await noStrays();
});

interface FinalResponse {
  readonly what: string;
  /** The response to the first request, after which its connection has to end. */
  answer(socket: Socket): void;
  readonly ends: RegExp;
}

const finalResponses: readonly FinalResponse[] = [
  {
    what: 'that it closes',
    answer: respondWith('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'),
    ends: /^ok$/,
  },
  {
    what: 'an old version',
    answer: respondWith('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    ends: /^ok$/,
  },
  { what: 'a body until the end', answer: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'), ends: /^ok$/ },
  { what: 'an answer and the end', answer: (socket) => socket.end(okResponse('ok')), ends: /^ok$/ },
  { what: 'more than the answer', answer: respondWith(`${okResponse('ok')}x`), ends: /^ok$/ },
  { what: 'two answers', answer: respondWith(okResponse('ok') + okResponse('evil')), ends: /^ok$/ },
  {
    what: 'a body where there is none',
    answer: respondWith('HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok'),
    ends: /^$/,
  },
  { what: 'a body that is too large', answer: respondWith(okResponse('b'.repeat(1_000_001))), ends: /^too-large$/ },
  { what: 'what is no HTTP', answer: respondWith('HTTP/1.1 200 OK\r\nx\r\n\r\n'), ends: /^not-http$/ },
  {
    what: 'a chunk that is none',
    answer: respondWith('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'),
    ends: /^not-http$/,
  },
  { what: 'nothing', answer: () => {}, ends: /^timeout$/ },
  { what: 'half an answer', answer: respondWith('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no'), ends: /^timeout$/ },
];

for (const { what, answer, ends } of finalResponses) {
  await t.test(`after ${what} the connection is not used again, and it is closed`, async (t) => {
    const noStrays = detectUnhandled(t);
    const server = await startScriptedServer(t, (socket, { path }) => {
      if (path === '/first') answer(socket);
      else socket.write(okResponse(path));
    });
    const http = plainHttp({});
    t.match(await ask(http, `${server.address}/first`, ends.test('timeout') ? 300 : undefined), ends);
    await closed(server.open);
    t.equal(await ask(http, `${server.address}/next`), '/next');
    t.strictSame(
      server.requests.map(({ connection }) => connection),
      [1, 2],
    );
    await noStrays();
  });
}

await t.test('an answer before all of the request was sent is taken, and its connection is closed', async (t) => {
  const noStrays = detectUnhandled(t);
  const sockets: Socket[] = [];
  const server = await startRaw(t, (socket) => {
    sockets.push(socket);
    // Nothing is read of the request.
    socket.pause();
    socket.write(okResponse('early'));
  });
  const http = plainHttp({});
  const address = `http://127.0.0.1:${server.port}/`;
  const request = plainRequest(address, { method: 'POST', body: new Uint8Array(30_000_000) });
  const { body } = await http.send(request, neverAborted);
  t.equal(Buffer.from(body).toString(), 'early');
  lastOf(sockets).resume();
  await closed(server.open);
  t.ok(lastOf(sockets).bytesRead < 30_000_000, 'the rest is not sent');
  t.equal(await ask(http, address), 'early');
  t.equal(server.connections(), 2);
  await noStrays();
});

await t.test('a server that closes between two requests is asked over a new connection', async (t) => {
  const noStrays = detectUnhandled(t);
  const server = await startScriptedServer(t, (socket, { path }) => socket.write(okResponse(path)));
  const http = plainHttp({});
  for (const [index, leave] of [(each: Socket) => each.end(), (each: Socket) => each.resetAndDestroy()].entries()) {
    t.equal(await ask(http, `${server.address}/${index}`), `/${index}`);
    leave(lastOf(server.sockets));
    await closed(server.open);
    // The client learns of a reset in its next turn.
    await nextTurn();
    await nextTurn();
  }
  t.equal(await ask(http, `${server.address}/last`), '/last');
  t.strictSame(
    server.requests.map(({ connection }) => connection),
    [1, 2, 3],
  );
  await noStrays();
});

await t.test('a connection is closed when it was idle for its time', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => socket.write(okResponse(path)));
  const settings = { longestIdleMs: 30, maxIdleConnections: 1, resolve: createResolver() };
  const agent = new Agent({ url: new URL(server.address), proxy: undefined }, settings);
  for (const path of ['/1', '/2']) {
    const request = {
      method: 'GET',
      path,
      headers: {},
      limits: { connectMs: 5_000, totalMs: 5_000 },
      repeatable: true,
    };
    const body = await exchange(agent, request, neverAborted, (response) => readBody(response, 100));
    t.equal(body.toString(), path);
    await closed(server.open);
  }
  t.equal(server.connections(), 2);
});

await t.test('the time that a connection may be idle does not end a request that takes longer', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => {
    setTimeout(() => socket.write(okResponse(path)), path === '/1' ? 0 : 150);
  });
  const settings = { longestIdleMs: 30, maxIdleConnections: 1, resolve: createResolver() };
  const agent = new Agent({ url: new URL(server.address), proxy: undefined }, settings);
  for (const path of ['/1', '/2']) {
    const limits = { connectMs: 5_000, totalMs: 5_000 };
    const request = { method: 'POST', path, headers: {}, limits, repeatable: false };
    const body = await exchange(agent, request, neverAborted, (response) => readBody(response, 100));
    t.equal(body.toString(), path);
  }
  t.equal(server.connections(), 1);
  agent.destroy();
});

await t.test('one that was warmed waits for 10 s, and there is one of it', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => socket.write(okResponse(path)));
  const http = plainHttp({});
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  for (let count = 1; count <= 3; count += 1) {
    http.preconnect?.({ url: new URL(server.address) });
    while (server.connections() === 0) await nextTurn();
    await nextTurn();
  }
  t.equal(server.connections(), 1);
  mock.timers.tick(9_999);
  t.equal(lastOf(server.sockets).readyState, 'open');
  const gone = once(lastOf(server.sockets), 'close');
  mock.timers.tick(1);
  await gone;
  t.equal(await ask(http, `${server.address}/`), '/');
  t.equal(server.connections(), 2);
});

await t.test('a request takes no connection that trusts others, or goes another way', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const proxy = await startTunnelProxy(t, server.port, undefined);
  const http = plainHttp({ authorities: [authority], proxies: { https: proxy.address, no: '' } });
  const address = `https://127.0.0.1:${server.port}/`;
  const others: readonly (readonly [address: string, changes: Partial<HttpRequest>])[] = [
    [address, {}],
    [address, { trustOnly: `${authority} ` }],
    [address, { trustOnly: `${authority}\n${authority}` }],
    [`https://localhost:${server.port}/`, {}],
    [`https://registry.example:${server.port}/`, { route: 'proxied' }],
  ];
  for (const round of [1, 2]) {
    for (const [index, [place, changes]] of others.entries()) {
      await http.send(plainRequest(place, changes), neverAborted);
      t.equal(server.connections(), round === 1 ? index + 1 : others.length, `${round} ${index}`);
    }
  }
  t.equal(proxy.connections(), 1);
});

await t.test('nothing is left of all this', async () => assertNoSocketsLeft());

function respondWith(text: string): (socket: Socket) => void {
  return (socket) => void socket.write(text, 'latin1');
}

/** The body, or the reason why there is none. */
async function ask(http: Http, address: string, totalMs = 10_000): Promise<string> {
  const limits = { connectMs: 5_000, totalMs };
  try {
    const { body } = await http.send(plainRequest(address, { limits }), neverAborted);
    return Buffer.from(body).toString('latin1');
  } catch (error) {
    return error instanceof Error && 'reason' in error ? String(error.reason) : `not ours: ${String(error)}`;
  }
}

function lastOf(sockets: readonly Socket[]): Socket {
  const last = sockets.at(-1);
  if (last === undefined) throw new Error('nobody came');
  return last;
}

async function closed(open: () => number): Promise<void> {
  // Long before it ends because it is idle.
  const patience = { what: 'the end of the connection', withinMs: 2_000, everyMs: 2 };
  await waitUntil(patience, async () => (open() === 0 ? true : undefined));
}
