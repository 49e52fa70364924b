import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';
import { createAuthority } from '../../lab/authority.ts';
import { issuePair } from './certificates.ts';
import { listen, neverAborted, plainHttp, plainRequest, startHttp, startHttps, startRaw } from './loopback.ts';

const authorityOfTest = await createAuthority(t.testdir({}));
const authority = readFileSync(authorityOfTest.certificateFile, 'utf8');
const pair = await issuePair(authorityOfTest, 'registry', ['registry.example']);

await t.test('https goes through a tunnel, and the proxy sees the name and nothing else', async (t) => {
  const server = await startHttps(t, pair, (request, response) => response.end(request.headers['authorization']));
  const proxy = await startProxy(t, server.port);
  const http = plainHttp({ authorities: [authority], proxies: { https: proxy.address, no: '' } });
  const request = plainRequest('https://registry.example/v2/', {
    route: 'proxied',
    headers: { authorization: 'mine' },
  });
  const response = await http.send(request, neverAborted);
  t.equal(Buffer.from(response.body).toString('utf8'), 'mine');
  t.strictSame(proxy.seen, ['CONNECT registry.example:443']);
  t.notMatch(JSON.stringify(proxy.headers), /mine/);
});

await t.test('the name that is checked is the one behind the proxy', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const proxy = await startProxy(t, server.port);
  const http = plainHttp({ authorities: [authority], proxies: { https: proxy.address, no: '' } });
  const sending = http.send(plainRequest('https://other.example/', { route: 'proxied' }), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'certificate-name' });
});

await t.test('the trust that is asked is ours, also behind the proxy', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const proxy = await startProxy(t, server.port);
  const proxies = { https: proxy.address, no: '' };
  const request = plainRequest('https://registry.example/', { route: 'proxied' });
  await t.rejects(plainHttp({ proxies }).send(request, neverAborted), { name: 'NetworkError', reason: 'untrusted' });
  const http = plainHttp({ proxies, allAuthorities: () => [authority] });
  t.equal((await http.send(request, neverAborted)).status, 200);
});

await t.test('http is asked of the proxy itself', async (t) => {
  const seen: unknown[] = [];
  const proxy = await startHttp(t, (request, response) => {
    seen.push([request.method, request.url, request.headers.host]);
    response.end('by the proxy');
  });
  const http = plainHttp({ proxies: { http: `http://127.0.0.1:${proxy.port}`, no: '' } });
  const request = plainRequest('http://registry.example/v2/?a=b', { route: 'proxied' });
  t.equal(Buffer.from((await http.send(request, neverAborted)).body).toString('utf8'), 'by the proxy');
  t.strictSame(seen, [['GET', 'http://registry.example/v2/?a=b', 'registry.example']]);
});

await t.test('a direct request never sees the proxy, nor does one that NO_PROXY exempts', async (t) => {
  const server = await startHttp(t, (_request, response) => response.end('ok'));
  const proxy = await startHttp(t, (_request, response) => response.end('by the proxy'));
  const address = `http://127.0.0.1:${proxy.port}`;
  const http = plainHttp({ proxies: { http: address, https: address, no: 'registry.invalid' } });
  const direct = plainRequest(`http://127.0.0.1:${server.port}`, { route: 'direct' });
  t.equal(Buffer.from((await http.send(direct, neverAborted)).body).toString('utf8'), 'ok');
  for (const name of ['http://metadata.invalid', 'https://metadata.invalid']) {
    const request = plainRequest(name, { route: 'direct' });
    await t.rejects(http.send(request, neverAborted), { name: 'NetworkError', reason: 'name-not-found' });
  }
  const exempted = plainRequest('http://registry.invalid', { route: 'proxied' });
  await t.rejects(http.send(exempted, neverAborted), { name: 'NetworkError', reason: 'name-not-found' });
  t.equal(proxy.connections(), 0);
});

await t.test('this machine is never asked through the proxy', async (t) => {
  const server = await startHttp(t, (_request, response) => response.end('ok'));
  const proxy = await startHttp(t, (_request, response) => response.end('by the proxy'));
  const http = plainHttp({ proxies: { http: `http://127.0.0.1:${proxy.port}`, no: '' } });
  const request = plainRequest(`http://127.0.0.1:${server.port}`, { route: 'proxied' });
  t.equal(Buffer.from((await http.send(request, neverAborted)).body).toString('utf8'), 'ok');
  t.equal(proxy.connections(), 0);
});

for (const status of ['403 Forbidden', '407 Proxy Authentication Required', '502 Bad Gateway', '301 Moved']) {
  await t.test(`a proxy that answers ${status} did not let the request through`, async (t) => {
    const proxy = await startRaw(t, (socket) => {
      socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nLocation: /x\r\n\r\n`));
    });
    const http = plainHttp({ proxies: { https: `http://127.0.0.1:${proxy.port}`, no: '' } });
    const sending = http.send(plainRequest('https://registry.example/', { route: 'proxied' }), neverAborted);
    await t.rejects(sending, { name: 'NetworkError', reason: 'proxy' });
  });
}

await t.test('the password of a proxy is in no message', async (t) => {
  const proxy = await startRaw(t, (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'));
  });
  const http = plainHttp({ proxies: { https: `http://user:hunter2@127.0.0.1:${proxy.port}`, no: '' } });
  const sending = http.send(plainRequest('https://registry.example/', { route: 'proxied' }), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'proxy', message: /^(?!.*hunter2)/ });
});

await t.test('a proxy whose port is closed is refused', async (t) => {
  const { port, close } = await startRaw(t, (socket) => socket.destroy());
  await close();
  const http = plainHttp({ proxies: { https: `http://127.0.0.1:${port}`, no: '' } });
  const sending = http.send(plainRequest('https://registry.example/', { route: 'proxied' }), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: /^(?:refused|proxy)$/ });
});

await t.test('a silent proxy fails after the connect timeout', async (t) => {
  const { port } = await startRaw(t, () => {});
  const http = plainHttp({ proxies: { https: `http://127.0.0.1:${port}`, no: '' } });
  const limits = { connectMs: 150, totalMs: 10_000 };
  const sending = http.send(plainRequest('https://registry.example/', { route: 'proxied', limits }), neverAborted);
  await t.rejects(sending, { name: 'NetworkError', reason: 'connect-timeout' });
});

await t.test('the signal of the caller ends the waiting for a proxy too', async (t) => {
  const controller = new AbortController();
  const { port } = await startRaw(t, (socket) => socket.once('data', () => controller.abort(new Error('answered'))));
  const http = plainHttp({ proxies: { https: `http://127.0.0.1:${port}`, no: '' } });
  const sending = http.send(plainRequest('https://registry.example/', { route: 'proxied' }), controller.signal);
  await t.rejects(sending, { message: 'answered' });
});

await t.test('a slow answer behind the proxy is waited for longer than the limit for connecting', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => {
    setTimeout(() => response.end('late'), 500);
  });
  const proxy = await startProxy(t, server.port);
  const http = plainHttp({ authorities: [authority], proxies: { https: proxy.address, no: '' } });
  const limits = { connectMs: 400, totalMs: 10_000 };
  const request = plainRequest('https://registry.example/', { route: 'proxied', limits });
  t.equal(Buffer.from((await http.send(request, neverAborted)).body).toString('utf8'), 'late');
});

await t.test('the tunnel is kept and used again', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const proxy = await startProxy(t, server.port);
  const http = plainHttp({ authorities: [authority], proxies: { https: proxy.address, no: '' } });
  for (let round = 0; round < 3; round += 1) {
    await http.send(plainRequest('https://registry.example/', { route: 'proxied' }), neverAborted);
  }
  t.equal(server.connections(), 1);
});

interface Proxy {
  readonly address: string;
  readonly seen: readonly string[];
  readonly headers: readonly unknown[];
}

/** A proxy for tunnels that leads every name to one port of this machine. */
async function startProxy(t: Test, targetPort: number): Promise<Proxy> {
  const seen: string[] = [];
  const headers: unknown[] = [];
  const server = createServer();
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    seen.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    const target = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
    client.on('close', () => target.destroy());
  });
  const { port } = await listen(t, server);
  return { address: `http://127.0.0.1:${port}`, seen, headers };
}
