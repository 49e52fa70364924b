import { once } from 'node:events';
import { Agent, createServer } from 'node:https';
import { connect as connectTcp } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import type { Test } from 'tap';
import { makeSelfSigned } from '../../../lib/server/certificate/self-signed.ts';
import { limitConnections } from '../../../lib/server/limit-connections.ts';
import type { ConnectionLimits } from '../../../lib/server/limit-connections.ts';
import { sendRequest } from './send-request.ts';
import { startTestServer } from './test-server.ts';

const hourMs = 3_600_000;
/** What the chart gives a probe. */
const probeTimeoutMs = 5_000;

for (const { from, addressOf } of [
  { from: 'one address', addressOf: () => '127.0.0.1' },
  {
    from: 'many addresses',
    addressOf: (dials: number) => `127.1.${Math.floor(dials / 250) % 250}.${1 + (dials % 250)}`,
  },
]) {
  await t.test(`probes are answered under 1,000 silent connections that dial again, from ${from}`, async (t) => {
    const { port } = await startTestServer(t, {});
    const storm = keepRedialing(t, { port, count: 1_000, addressOf });
    await storm.connected;
    for (let probe = 0; probe < 8; probe += 1) {
      t.match(await sendRequest(port, '/livez', { timeout: probeTimeoutMs }), { status: 200 });
    }
  });
}

await t.test('the oldest silent connection is closed for a new one', async (t) => {
  const { port } = await startServer(t, { maxSilent: 2 });
  const [first, second] = [await dial(t, port), await dial(t, port)];
  const firstCloses = once(first, 'close');
  const third = await dial(t, port);
  await firstCloses;
  t.strictSame([second.destroyed, third.destroyed], [false, false]);
  t.match(
    await sendRequest(port, '/', {}),
    { status: 200 },
    'a new connection is answered; the second is closed for it',
  );
});

await t.test('while a connection is in its handshake, others wait for its place', async (t) => {
  const { port } = await startServer(t, { maxHandshaking: 1 });
  const first = await dial(t, port);
  first.write(await clientHello());
  await once(first, 'data');
  const second = await dial(t, port);
  second.write(await clientHello());
  const answered = sendRequest(port, '/', {});
  const turn = once(second, 'data');
  const last = await dial(t, port);
  last.end(Buffer.alloc(60_000));
  await once(last, 'close');
  t.equal(first.destroyed, false);
  first.destroy();
  await turn;
  second.destroy();
  t.match(await answered, { status: 200 });
});

await t.test('a slow connection is closed for those who wait when it has had its turn', async (t) => {
  const { port } = await startServer(t, { maxHandshaking: 2, minHandshakeMs: 100 });
  const hello = await clientHello();
  const slow = await Promise.all(Array.from({ length: 6 }, () => dial(t, port)));
  const startMs = performance.now();
  const closes = Promise.all(slow.map((socket) => once(socket, 'close')));
  for (const socket of slow) socket.write(hello);
  t.match(await sendRequest(port, '/', {}), { status: 200 });
  t.ok(performance.now() - startMs >= 290, 'two at a time, before the last one');
  for (const each of slow.slice(4)) each.destroy();
  await closes;
});

await t.test('connections that sent a request do not take the places of others', async (t) => {
  const { port } = await startServer(t, { maxHandshaking: 2, maxEstablished: 2 });
  const [first, second] = [keepingAgent(t), keepingAgent(t)];
  await sendRequest(port, '/', { agent: first });
  await sendRequest(port, '/', { agent: second });
  const stalled = await dial(t, port);
  stalled.write(await clientHello());
  await once(stalled, 'data');
  t.match(await sendRequest(port, '/', {}), { status: 200 });
  t.equal(stalled.destroyed, false);
});

await t.test('slow connections do not take the places of those that sent a request', async (t) => {
  const { port } = await startServer(t, { maxHandshaking: 1, minHandshakeMs: 0 });
  const agent = keepingAgent(t);
  await sendRequest(port, '/', { agent });
  const hello = await clientHello();
  for (let count = 0; count < 5; count += 1) {
    const stalled = await dial(t, port);
    stalled.write(hello);
    await once(stalled, 'data');
  }
  const reused = await sendRequest(port, '/', { agent });
  t.equal(reused.text, '2', 'still on its first connection');
});

await t.test('a first message that no TLS client sends is not kept while it waits', async (t) => {
  const { port } = await startServer(t, { maxHandshaking: 1 });
  const first = await dial(t, port);
  first.write(await clientHello());
  await once(first, 'data');
  const flood = await dial(t, port);
  const closes = once(flood, 'close');
  flood.write(Buffer.alloc(60_000));
  await closes;
  t.equal(first.destroyed, false);
});

await t.test('of those that sent a request, the one whose last is the oldest is closed for a new one', async (t) => {
  const { port } = await startServer(t, { maxEstablished: 2 });
  const [first, second] = [keepingAgent(t), keepingAgent(t)];
  await sendRequest(port, '/', { agent: first });
  await sendRequest(port, '/', { agent: second });
  await sendRequest(port, '/', { agent: first });
  const secondCloses = once(Object.values(second.freeSockets)[0]?.[0] as Socket, 'close');
  await sendRequest(port, '/', {});
  await secondCloses;
  t.equal((await sendRequest(port, '/', { agent: first })).text, '3');
});

await t.test('a handshake or header that does not end is closed in time, a slow answer is not', async (t) => {
  const { port } = await startServer(t, { firstRequestTimeoutMs: 200 });
  const silent = await dial(t, port);
  const halfway = await dial(t, port);
  halfway.write(await clientHello());
  const header = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  header.on('error', () => {}).resume();
  header.write('GET / HTTP/1.1\r\n');
  const slow = sendRequest(port, '/slow', {});
  await Promise.all([silent, halfway, header].map((socket) => once(socket, 'close')));
  t.match(await slow, { status: 200 });
});

await t.test('connections that are reset or closed early are forgotten', async (t) => {
  const { port, listener } = await startServer(t, {});
  const sockets = await Promise.all(Array.from({ length: 20 }, () => dial(t, port)));
  for (const [index, socket] of sockets.entries()) {
    if (index % 2 === 0) socket.resetAndDestroy();
    else socket.end('no TLS\n');
  }
  const endMs = performance.now() + 10_000;
  while ((await connectionsOf(listener)) > 0 && performance.now() < endMs) await sendRequest(port, '/', {});
  t.equal(await connectionsOf(listener), 0);
});

interface ConnectionStorm {
  readonly port: number;
  readonly count: number;
  addressOf(dials: number): string;
}

/** Connections that send nothing and are dialled again when they are closed. */
function keepRedialing(t: Test, { port, count, addressOf }: ConnectionStorm): { readonly connected: Promise<unknown> } {
  const open = new Set<Socket>();
  let dials = 0;
  let isOver = false;
  const { promise: connected, resolve } = Promise.withResolvers<unknown>();
  const dialOnce = (): void => {
    if (isOver) return;
    dials += 1;
    const socket = connectTcp({ port, host: '127.0.0.1', localAddress: addressOf(dials) });
    open.add(socket);
    socket.on('connect', () => open.size >= count && resolve(undefined));
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      setImmediate(dialOnce);
    });
  };
  for (let index = 0; index < count; index += 1) dialOnce();
  t.teardown(() => {
    isOver = true;
    for (const socket of open) socket.destroy();
  });
  return { connected };
}

async function startServer(t: Test, limits: Partial<ConnectionLimits>): Promise<StartedServer> {
  const nowMs = Date.now();
  const pair = makeSelfSigned({ hosts: ['localhost'], fromMs: nowMs - hourMs, untilMs: nowMs + hourMs });
  const server = createServer(pair);
  const counts = new WeakMap<Socket, number>();
  server.on('request', (request, response) => {
    const count = (counts.get(request.socket) ?? 0) + 1;
    counts.set(request.socket, count);
    const answer = (): unknown => response.end(String(count));
    if (request.url === '/slow') setTimeout(answer, 400);
    else answer();
  });
  const usual = {
    maxSilent: 100,
    maxHandshaking: 100,
    maxEstablished: 100,
    minHandshakeMs: 30_000,
    firstRequestTimeoutMs: 30_000,
  };
  const { listener, closeAll } = limitConnections(server, { ...usual, ...limits });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  t.teardown(async () => {
    const closed = once(listener, 'close');
    listener.close();
    closeAll();
    await closed;
  });
  return { port: (listener.address() as AddressInfo).port, listener };
}

interface StartedServer {
  readonly port: number;
  readonly listener: ReturnType<typeof limitConnections>['listener'];
}

async function dial(t: Test, port: number): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  await once(socket.resume(), 'connect');
  return socket;
}

function keepingAgent(t: Test): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  return agent;
}

/** The first message of a TLS client, as bytes. */
async function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({ read: () => {}, write: (bytes: Buffer) => resolve(bytes) });
  const client = connectTls({ socket: wire, rejectUnauthorized: false });
  client.on('error', () => {});
  const bytes = await promise;
  client.destroy();
  return bytes;
}

function connectionsOf(listener: StartedServer['listener']): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  listener.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  return promise;
}
