import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Test } from 'tap';
import { createAuthority } from '../../lab/authority.ts';
import { issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startHttps, startRaw } from './loopback.ts';
import type { LoopbackServer } from './loopback.ts';
import { okResponse } from './scripted-server.ts';
import { startTunnelProxy } from './tunnel-proxy.ts';
import { detectUnhandled } from './leaks.ts';

const lab = await createAuthority(t.testdir({}));
const authority = readFileSync(lab.certificateFile, 'utf8');
const names = ['registry.example', '2001:db8::1', '192.0.2.1'];
const pair = await issuePair(lab, 'registry', names);
const proxyPair = await issuePair(lab, 'proxy', ['127.0.0.1']);

/** The server returns the target and every header that it received. */
async function startEcho(t: Test): Promise<LoopbackServer> {
  return startHttps(t, pair, (request, response) =>
    response.end(JSON.stringify({ ...request.headers, target: request.url })),
  );
}

for (const [what, ofProxy] of [
  ['http', undefined],
  ['https', proxyPair],
] as const) {
  await t.test(`an ${what} proxy sees the login that is meant for it, and the server does not`, async (t) => {
    const noStrays = detectUnhandled(t);
    const server = await startEcho(t);
    const proxy = await startTunnelProxy(t, server.port, ofProxy);
    const address = proxy.address.replace('://', '://us%C3%A9r:p%40ss%3A\u00fc@');
    const send = sender(address);
    for (let count = 0; count < 3; count += 1) {
      const seen = await send('https://registry.example/', { authorization: 'for the server' });
      t.strictSame(seen, {
        authorization: 'for the server',
        connection: 'keep-alive',
        host: 'registry.example',
        target: '/',
      });
    }
    const login = Buffer.from('us\u00e9r:p@ss:\u00fc', 'utf8').toString('base64');
    const head = `CONNECT registry.example:443\nhost: registry.example:443\nproxy-authorization: Basic ${login}`;
    t.strictSame(proxy.requests, [head], 'one tunnel, and nothing else in the request for it');
    t.equal(server.connections(), 1);
    await noStrays();
  });
}

await t.test('a target is named with its port, and an address of IPv6 in brackets', async (t) => {
  const server = await startEcho(t);
  const proxy = await startTunnelProxy(t, server.port, undefined);
  const send = sender(proxy.address);
  for (const host of ['registry.example:8443', '[2001:DB8::1]', '[2001:db8::1]:8443', '192.0.2.1']) {
    t.match(await send(`https://${host}/`), { host: host.toLowerCase() });
  }
  t.strictSame(
    proxy.requests.map((head) => head.split('\n').slice(0, 2)),
    ['registry.example:8443', '[2001:db8::1]:443', '[2001:db8::1]:8443', '192.0.2.1:443'].map((target) => [
      `CONNECT ${target}`,
      `host: ${target}`,
    ]),
  );
});

await t.test('the authorities that are read in full are good for proxy and server', async (t) => {
  const server = await startEcho(t);
  const proxy = await startTunnelProxy(t, server.port, proxyPair);
  const http = plainHttp({ proxies: { https: proxy.address, no: '' }, allAuthorities: () => [authority] });
  const { status } = await http.send(plainRequest('https://registry.example/', { route: 'proxied' }), neverAborted);
  t.equal(status, 200);
  t.equal(proxy.requests.length, 1);
});

await t.test('a proxy without a tunnel gets its credentials each time, and each target has a connection', async (t) => {
  const { address, connections, heads } = await startRecorder(t);
  const send = sender(address.replace('://', '://user:word@'));
  for (const target of ['one.example', 'one.example', 'other.example']) await send(`http://${target}/`);
  t.strictSame(
    heads.map((head) => head.split('\r\n')[0]),
    ['one', 'one', 'other'].map((name) => `GET http://${name}.example/ HTTP/1.1`),
  );
  const login = Buffer.from('user:word').toString('base64');
  for (const head of heads) t.match(head, `\r\nproxy-authorization: Basic ${login}\r\n`);
  t.equal(connections(), 2);
});

await t.test('a proxy with another login is another proxy', async (t) => {
  const server = await startEcho(t);
  const proxy = await startTunnelProxy(t, server.port, undefined);
  for (const login of ['', 'one@', 'two@', 'one:word@']) {
    await sender(proxy.address.replace('://', `://${login}`))('https://registry.example/');
  }
  t.equal(new Set(proxy.requests).size, 4);
});

await t.test('a request that is not proxied brings no login of a proxy', async (t) => {
  const { address, heads } = await startRecorder(t);
  const http = plainHttp({ proxies: { http: 'http://user:hunter2@127.0.0.1:1', no: '' } });
  for (const route of ['direct', 'proxied'] as const) await http.send(plainRequest(address, { route }), neverAborted);
  t.equal(heads.length, 2);
  t.notMatch(heads.join(''), /proxy-authorization/i);
});

interface Recorder extends LoopbackServer {
  readonly address: string;
  readonly heads: readonly string[];
}

async function startRecorder(t: Test): Promise<Recorder> {
  const heads: string[] = [];
  const server = await startRaw(t, (socket) => {
    socket.on('data', (part) => {
      heads.push(part.toString('latin1'));
      socket.write(okResponse('{}'));
    });
  });
  return { ...server, address: `http://127.0.0.1:${server.port}`, heads };
}

type Send = (address: string, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

/** One client for several requests; what the server saw. */
function sender(proxy: string): Send {
  const http = plainHttp({ authorities: [authority], proxies: { http: proxy, https: proxy, no: '' } });
  return async (address, headers) => {
    const request = plainRequest(address, { route: 'proxied', headers: headers ?? {} });
    return JSON.parse(Buffer.from((await http.send(request, neverAborted)).body).toString('utf8')) as unknown;
  };
}
