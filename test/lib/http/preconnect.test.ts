import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import type { Http } from '../../../lib/http/http.ts';
import { createAuthority } from '../../lab/authority.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import { issuePair } from './certificates.ts';
import { listen, neverAborted, plainHttp, plainRequest, startHttp, startHttps, startRaw } from './loopback.ts';

const directory = t.testdir({ one: {} });
const one = await createAuthority(join(directory, 'one'));
const authority = readFileSync(one.certificateFile, 'utf8');
const pair = await issuePair(one, 'server', ['127.0.0.1', 'localhost']);

await t.test('the first request over TLS takes the connection that is there, and the next one too', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority] });
  const url = new URL(`https://127.0.0.1:${server.port}`);
  http.preconnect?.({ url });
  http.preconnect?.({ url });
  await connected(server.connections);
  t.equal((await proxied(http, url.href)).status, 200);
  t.equal(server.connections(), 1);
  // Node gives a connection back when the request, too, is seen to be sent, which can be a moment after the response.
  await waitUntil({ what: 'a connection is used again', withinMs: 10_000, everyMs: 10 }, async () => {
    const before = server.connections();
    t.equal((await proxied(http, `${url.href}again`)).status, 200);
    return server.connections() === before ? true : undefined;
  });
});

await t.test('so it does where the server has a name', async (t) => {
  const secured = new Set<number | undefined>();
  const askedOn: unknown[] = [];
  const server = createServer(pair, (request, response) => {
    askedOn.push(request.socket.remotePort);
    response.end('ok');
  }).on('secureConnection', (socket) => secured.add(socket.remotePort));
  const { port } = await listen(t, server);
  const http = plainHttp({ authorities: [authority] });
  http.preconnect?.({ url: new URL(`https://localhost:${port}`) });
  await connected(() => secured.size);
  const expected = [...secured];
  await proxied(http, `https://localhost:${port}`);
  t.strictSame(askedOn, expected);
});

await t.test('if OpenSSL alone trusts no authority, a request still reads all authorities', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ allAuthorities: () => [authority] });
  const url = new URL(`https://localhost:${server.port}`);
  http.preconnect?.({ url });
  await connected(server.connections);
  t.equal((await proxied(http, url.href)).status, 200);
});

await t.test('a request that comes while the handshake is under way takes it all the same', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority] });
  const url = new URL(`https://127.0.0.1:${server.port}`);
  http.preconnect?.({ url });
  t.equal((await proxied(http, url.href)).status, 200);
  t.equal(server.connections(), 1);
});

await t.test('nothing is sent before there is a request', async (t) => {
  const received: Buffer[] = [];
  const server = await startRaw(t, (socket) => {
    socket.on('data', (part) => received.push(part));
    socket.once('data', () => socket.end('HTTP/1.1 204 None\r\n\r\n'));
  });
  const http = plainHttp({});
  const address = `http://127.0.0.1:${server.port}`;
  http.preconnect?.({ url: new URL(address) });
  await connected(server.connections);
  t.equal(received.length, 0);
  t.equal((await proxied(http, address)).status, 204);
  t.match(Buffer.concat(received).toString(), /^GET \/ HTTP\/1\.1\r\n/);
  t.equal(server.connections(), 1);
});

await t.test('a request that trusts others than the connection does opens its own', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const http = plainHttp({ authorities: [authority] });
  const url = new URL(`https://127.0.0.1:${server.port}`);
  http.preconnect?.({ url });
  await connected(server.connections);
  await http.send(plainRequest(url.href, { trustOnly: `${authority}\n` }), neverAborted);
  t.equal(server.connections(), 2);
});

const invalidations: readonly (readonly [what: string, spoil: (socket: Socket) => void])[] = [
  ['is closed', (socket) => socket.end()],
  ['is reset', (socket) => socket.resetAndDestroy()],
  ['brings an answer to nothing', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')],
];

for (const [what, spoil] of invalidations) {
  await t.test(`a connection that ${what} before there is a request is not used`, async (t) => {
    const sockets: Socket[] = [];
    const server = await startRaw(t, (socket) => {
      sockets.push(socket);
      socket.once('data', () => socket.end('HTTP/1.1 204 None\r\n\r\n'));
    });
    const http = plainHttp({});
    const address = `http://127.0.0.1:${server.port}`;
    http.preconnect?.({ url: new URL(address) });
    await connected(server.connections);
    const [first] = sockets;
    if (first === undefined) throw new Error('nobody came');
    const gone = once(first.resume(), 'close');
    const startedAtMs = performance.now();
    spoil(first);
    await gone;
    t.ok(performance.now() - startedAtMs < 5_000, 'long before its time is over');
    t.equal((await proxied(http, address)).status, 204);
    t.equal(server.connections(), 2);
  });
}

await t.test('a request to a closed port fails as usual, and succeeds once the port is open', async (t) => {
  const { port, close } = await startRaw(t, (socket) => socket.destroy());
  await close();
  const url = new URL(`http://127.0.0.1:${port}`);
  const http = plainHttp({});
  http.preconnect?.({ url });
  await t.rejects(proxied(http, url.href), { name: 'NetworkError', reason: 'refused', message: 'ECONNREFUSED' });
  http.preconnect?.({ url: new URL('https://nowhere.invalid') });
  await t.rejects(proxied(http, 'https://nowhere.invalid'), { name: 'NetworkError', reason: 'name-not-found' });
});

for (const authorities of [['-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----'], [] as string[]]) {
  await t.test(`${authorities.length} invalid authorities are reported by the request alone`, async (t) => {
    const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
    const url = new URL(`https://127.0.0.1:${server.port}`);
    const [cold, warm] = [plainHttp({ authorities }), plainHttp({ authorities })];
    const expected = await proxied(cold, url.href).catch((error: unknown) => error);
    warm.preconnect?.({ url });
    t.match(await proxied(warm, url.href).catch((error: unknown) => error), expected);
    t.match(expected, { name: 'NetworkError' });
  });
}

await t.test('a handshake that never ends is given up by the request that took it', async (t) => {
  const server = await startRaw(t, () => {});
  const http = plainHttp({ authorities: [authority] });
  const url = new URL(`https://127.0.0.1:${server.port}`);
  http.preconnect?.({ url });
  await connected(server.connections);
  const limits = { connectMs: 100, totalMs: 5_000 };
  const request = plainRequest(url.href, { route: 'proxied', limits });
  await t.rejects(http.send(request, neverAborted), {
    name: 'NetworkError',
    reason: 'connect-timeout',
    message: '0.1 s',
  });
  t.equal(server.connections(), 1);
});

await t.test('what goes by a proxy is not warmed, neither there nor past it', async (t) => {
  const refuse = (_request: unknown, response: { end(): void }): void => response.end();
  const [server, proxy] = [await startHttp(t, refuse), await startHttp(t, refuse)];
  const http = plainHttp({ proxies: { https: `http://127.0.0.1:${proxy.port}`, no: '' } });
  // This machine in a spelling that is proxied, then in one that never is: what is asked last arrives last.
  http.preconnect?.({ url: new URL(`https://0.0.0.0:${server.port}`) });
  await proxied(http, `http://127.0.0.1:${server.port}`);
  t.equal(server.connections(), 1);
  t.equal(proxy.connections(), 0);
});

await t.test('it does not keep the process alive', async (t) => {
  const server = await startRaw(t, () => {});
  const module = new URL('../../../lib/http/create-http.ts', import.meta.url).href;
  const script = `
    import { createHttp } from '${module}';
    const http = createHttp({ proxies: { no: '' }, allAuthorities: () => [] });
    http.preconnect({ url: new URL('https://127.0.0.1:${server.port}') });
    await new Promise((resolve) => setTimeout(resolve, 200));
  `;
  const options = { env: {}, input: script, timeoutMs: 20_000 };
  const { code, durationMs, stderr } = await runCommand(process.execPath, ['--input-type=module', '-'], options);
  t.equal(code, 0, stderr);
  t.ok(durationMs < 9_000, 'it did not wait for the time that an unused connection has');
  t.equal(server.connections(), 1);
});

async function proxied(http: Http, address: string): Promise<{ readonly status: number }> {
  return http.send(plainRequest(address, { route: 'proxied' }), neverAborted);
}

async function connected(connections: () => number): Promise<void> {
  const patience = { what: 'a connection', withinMs: 5_000, everyMs: 5 };
  await waitUntil(patience, async () => (connections() > 0 ? true : undefined));
}
