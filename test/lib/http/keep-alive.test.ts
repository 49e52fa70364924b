import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { Agent } from '../../../lib/http/agent.ts';
import { exchange } from '../../../lib/http/exchange.ts';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { openSocket } from '../../../lib/http/open-socket.ts';
import { readBody } from '../../../lib/http/read-body.ts';
import { createResolver } from '../../../lib/http/resolve.ts';
import { neverAborted, plainHttp, plainRequest } from './loopback.ts';
import { startScriptedServer, okResponse } from './scripted-server.ts';
import { detectUnhandled } from './leaks.ts';

type End = (socket: Socket) => unknown;

const ends: readonly (readonly [what: string, end: End])[] = [
  ['is reset', (socket) => socket.resetAndDestroy()],
  ['ends in order', (socket) => socket.end()],
];

const sentAgain: readonly (readonly [what: string, changes: Partial<HttpRequest>])[] = [
  ['a GET', { method: 'GET' }],
  ['a POST that is marked repeatable', { method: 'POST', body: 'x', repeatable: true }],
  ['a PUT that is marked repeatable', { method: 'PUT', repeatable: true }],
];

const sentOnce: readonly (readonly [what: string, changes: Partial<HttpRequest>])[] = [
  ['a POST', { method: 'POST' }],
  ['a PUT', { method: 'PUT' }],
  ['a GET that is marked as not repeatable', { method: 'GET', repeatable: false }],
];

for (const [how, end] of ends) {
  for (const [what, changes] of sentAgain) {
    await t.test(`${what} is sent once more when its kept connection ${how}`, async (t) => {
      const noStrays = detectUnhandled(t);
      const server = await startScriptedServer(t, (socket, { connection, path }) => {
        if (connection === 1 && path === '/2') end(socket);
        else socket.write(okResponse(path));
      });
      const http = plainHttp({});
      for (const path of ['/1', '/2']) {
        const request = plainRequest(`${server.address}${path}`, path === '/2' ? changes : {});
        t.equal(Buffer.from((await http.send(request, neverAborted)).body).toString(), path);
      }
      t.equal(server.connections(), 2);
      await noStrays();
    });
  }

  for (const [what, changes] of sentOnce) {
    await t.test(`${what} is not sent again when its kept connection ${how}`, async (t) => {
      const server = await startScriptedServer(t, (socket, { path }) => {
        if (path === '/2') end(socket);
        else socket.write(okResponse(path));
      });
      const http = plainHttp({});
      await http.send(plainRequest(`${server.address}/1`, {}), neverAborted);
      const second = http.send(plainRequest(`${server.address}/2`, changes), neverAborted);
      await t.rejects(second, { name: 'NetworkError', reason: 'reset' });
      t.equal(server.connections(), 1);
    });
  }

  await t.test(`a GET whose new connection ${how} too is not sent a third time`, async (t) => {
    const server = await startScriptedServer(t, (socket, { path }) => {
      if (path === '/2') end(socket);
      else socket.write(okResponse(path));
    });
    const http = plainHttp({});
    await http.send(plainRequest(`${server.address}/1`, {}), neverAborted);
    const second = http.send(plainRequest(`${server.address}/2`, {}), neverAborted);
    await t.rejects(second, { name: 'NetworkError', reason: 'reset' });
    t.strictSame(
      server.requests.map(({ connection }) => connection),
      [1, 1, 2],
    );
  });

  await t.test(`a GET on a new connection that ${how} is not sent again`, async (t) => {
    const server = await startScriptedServer(t, end);
    const sending = plainHttp({}).send(plainRequest(server.address, {}), neverAborted);
    await t.rejects(sending, { name: 'NetworkError', reason: 'reset' });
    t.equal(server.requests.length, 1);
  });
}

await t.test('a GET on a connection that was opened ahead, and has carried nothing, is not sent again', async (t) => {
  const server = await startScriptedServer(t, (socket) => socket.resetAndDestroy());
  const http = plainHttp({});
  http.preconnect?.({ url: new URL(server.address) });
  while (server.connections() === 0) await nextTurn();
  await nextTurn();
  const sending = http.send(plainRequest(server.address, { route: 'proxied' }), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'reset' });
  t.equal(server.requests.length, 1);
});

await t.test('a GET is not sent again when the response has begun', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => {
    if (path === '/2') socket.end('HTTP/1.1 2');
    else socket.write(okResponse(path));
  });
  const http = plainHttp({});
  await http.send(plainRequest(`${server.address}/1`, {}), neverAborted);
  await t.rejects(http.send(plainRequest(`${server.address}/2`, {}), neverAborted), { name: 'NetworkError' });
  t.equal(server.requests.length, 2);
});

await t.test('300 requests to a server that closes after each response are all answered', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => {
    if (socket.writableEnded) {
      socket.resetAndDestroy();
      return;
    }
    socket.write(okResponse(path));
    setImmediate(() => socket.end());
  });
  const http = plainHttp({});
  const failures: unknown[] = [];
  for (let count = 0; count < 300; count += 1) {
    const sending = http.send(plainRequest(`${server.address}/${count}`, {}), neverAborted);
    await sending.catch((error: unknown) => failures.push(error));
  }
  t.strictSame(failures, []);
});

await t.test('what is sent once more takes none of the other kept connections', async (t) => {
  const server = await startScriptedServer(t, (socket, { connection, path }) => {
    if (connection <= 3 && path === '/last') socket.resetAndDestroy();
    else if (path === '/last' || server.requests.length >= 3) for (const each of server.sockets) answer(each);
  });
  const answer = (socket: Socket): unknown => socket.destroyed || socket.write(okResponse('ok'));
  const http = plainHttp({});
  const ask = async (path: string): Promise<unknown> =>
    http.send(plainRequest(`${server.address}${path}`, {}), neverAborted);
  await Promise.all(['/1', '/2', '/3'].map(ask));
  t.equal(server.connections(), 3);
  t.match(await ask('/last'), { status: 200 });
  t.equal(server.connections(), 4);
});

await t.test('a GET over a kept connection to a proxy is sent once more too', async (t) => {
  const proxy = await startScriptedServer(t, (socket, { connection, path }) => {
    if (connection === 1 && path.endsWith('/2')) socket.end();
    else socket.write(okResponse('ok'));
  });
  const http = plainHttp({ proxies: { http: proxy.address, no: '' } });
  for (const path of ['/1', '/2']) {
    const request = plainRequest(`http://registry.example${path}`, { route: 'proxied' });
    t.match(await http.send(request, neverAborted), { status: 200 });
  }
  t.equal(proxy.connections(), 2);
});

await t.test('a POST that is given a connection which has just ended is sent, once', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => setImmediate(() => socket.write(okResponse(path))));
  const agent = agentOf(server.address);
  await Promise.all(['/1', '/2'].map((path) => requestWith(agent, 'GET', path)));
  await nextTurn();
  // Node.js keeps it in its pool until its end is reported.
  Object.values(agent.freeSockets).at(0)?.at(-1)?.destroy();
  t.equal(await requestWith(agent, 'POST', '/3'), '/3');
  t.strictSame(
    server.requests.map(({ path }) => path),
    ['/1', '/2', '/3'],
  );
  agent.destroy();
});

await t.test('so is one whose connection, opened ahead, has just ended', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => void socket.write(okResponse(path)));
  const resolve = createResolver();
  const place = { url: new URL(server.address), proxy: undefined };
  const ahead = openSocket(place, resolve);
  const openings = [ahead];
  const agent = new Agent(place, {
    longestIdleMs: 4_000,
    maxIdleConnections: 2,
    resolve,
    takePreconnection: () => openings.pop(),
  });
  (await ahead.socket).destroy();
  t.equal(await requestWith(agent, 'POST', '/1'), '/1');
  t.equal(server.requests.length, 1);
  agent.destroy();
});

await t.test('a GET that waits when its agent is destroyed is not sent again', async (t) => {
  const server = await startScriptedServer(t, (socket, { path }) => {
    if (path === '/1') socket.write(okResponse(path));
  });
  const agent = agentOf(server.address);
  await requestWith(agent, 'GET', '/1');
  const rejected = t.rejects(requestWith(agent, 'GET', '/2'), { name: 'NetworkError', reason: 'reset' });
  while (server.requests.length < 2) await nextTurn();
  agent.destroy();
  await rejected;
  t.equal(server.requests.length, 2);
});

function agentOf(address: string): Agent {
  const settings = { longestIdleMs: 4_000, maxIdleConnections: 2, resolve: createResolver() };
  return new Agent({ url: new URL(address), proxy: undefined }, settings);
}

async function requestWith(agent: Agent, method: string, path: string): Promise<string> {
  const limits = { connectMs: 5_000, totalMs: 10_000 };
  const request = { method, path, headers: {}, limits, repeatable: method === 'GET' };
  const body = await exchange(agent, request, neverAborted, (response) => readBody(response, 100));
  return body.toString();
}
