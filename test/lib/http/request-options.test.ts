import t from 'tap';
import { Agent } from '../../../lib/http/agent.ts';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { requestOptions } from '../../../lib/http/request-options.ts';
import { createResolver } from '../../../lib/http/resolve.ts';
import { proxyAuthorization } from '../../../lib/http/tunnel.ts';
import { neverAborted, plainHttp, plainRequest, startRaw } from './loopback.ts';
import { okResponse } from './scripted-server.ts';

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).filter((each) => each !== '\t');
const lineBreakers = [...controls, '\u007f', '\u0100', '\u2028', '\u010a', '\ud83d\ude00', '\ud800'];

let received = '';
let awaitedBytes = 0;
const recorder = await startRaw(t, (socket) => {
  socket.on('data', (part) => {
    received += part.toString('latin1');
    const end = received.indexOf('\r\n\r\n');
    if (end !== -1 && received.length - end - 4 >= awaitedBytes) socket.end(okResponse(''));
  });
});

await t.test('no value of a header ends its line, nor does it become another one', async (t) => {
  for (const odd of lineBreakers) {
    for (const value of [odd, `a${odd}`, `${odd}b`, `a${odd}evil: yes`]) {
      await t.rejects(sendAndRecord({ headers: { 'x-own': value } }), {
        name: 'NetworkError',
        reason: 'other',
        message: 'Invalid character in header content ["x-own"]',
      });
    }
  }
});

await t.test('nor does its name', async (t) => {
  for (const odd of [...lineBreakers, ' ', '\t', ':', '(', '\u00e9', '']) {
    for (const name of odd === '' ? [''] : [odd, `a${odd}`, `${odd}b`, `a: b${odd}c`]) {
      await t.rejects(
        sendAndRecord({ headers: { [name]: 'v' } }),
        { name: 'NetworkError', reason: 'other' },
        toHex(name),
      );
    }
  }
});

await t.test('a method is one word', async (t) => {
  for (const method of ['', 'GET /evil HTTP/1.1\r\nx:', 'GET\r\n', 'GE T', 'G\u00c9T', '\tGET', 'GET\u0000']) {
    const request = { method: method as 'GET' };
    if (method === '') t.match(await sendAndRecord(request), /^GET \/ HTTP\/1\.1\r\n/, 'no method is the usual one');
    else await t.rejects(sendAndRecord(request), { name: 'NetworkError', reason: 'other' }, toHex(method));
  }
});

await t.test('a path and a query have no spaces, whatever the address has', async (t) => {
  for (const odd of [...lineBreakers, ' ', '\t', '\u00e9', ' HTTP/1.1\r\nevil: yes\r\n\r\n']) {
    const url = new URL(`http://server.example/a${odd}b?c=${odd}d#${odd}`);
    t.match(optionsOf({ url }).path, /^\/a[!-~]*b\?c=[!-~]*d$/, toHex(odd));
    t.match(optionsOf({ url }, 'http://proxy.example').path, /^http:\/\/server\.example\/a[!-~]*d$/);
  }
});

await t.test('a path that did not come from an address is looked at too', (t) => {
  const agent = new Agent(
    { url: new URL('http://127.0.0.1:1'), proxy: undefined },
    {
      longestIdleMs: 1,
      maxIdleConnections: 1,
      resolve: createResolver(),
    },
  );
  for (const path of ['/a b', '/a\r\nevil: yes', '/a\u0000', '/\u0100']) {
    t.throws(() => agent.start({ path }), { code: 'ERR_UNESCAPED_CHARACTERS' }, toHex(path));
  }
  t.end();
});

await t.test(
  'nothing is sent but what is asked for: Latin-1 as it is, one host, and no wish for compression',
  async (t) => {
    const text = await sendAndRecord({ headers: { 'X-Own': '\u00e9\t\u00ff ~' } });
    t.match(
      text,
      /^GET \/ HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\nx-own: \u00e9\t\u00ff ~\r\nconnection: keep-alive\r\n\r\n$/,
    );
  },
);

await t.test('the name and password in the address of a proxy end no line', (t) => {
  for (const odd of ['%0d%0aevil: yes', '%0D%0A%0D%0A', '%00', '%E2%80%A8', '\r\n', '\t', '%3A', '\u00fc']) {
    const headers = proxyAuthorization(new URL(`http://us${odd}er:pass${odd}word@proxy.example:3128`));
    t.match(headers['proxy-authorization'], /^Basic [A-Za-z0-9+/]+=*$/, toHex(odd));
    t.strictSame(Object.keys(headers), ['proxy-authorization']);
  }
  t.end();
});

await t.test('a proxy gets the decoded user name and password', (t) => {
  const meant: readonly (readonly [login: string, expected: string])[] = [
    ['user:word', 'user:word'],
    ['us%C3%A9r:p%40ss%2Fw%3A', 'us\u00e9r:p@ss/w:'],
    ['us\u00e9r:\u00fc\u2028', 'us\u00e9r:\u00fc\u2028'],
    ['user', 'user:'],
    [':word', ':word'],
    ['100%25:%2525', '100%:%25'],
  ];
  for (const [login, expected] of meant) {
    const { 'proxy-authorization': value = '' } = proxyAuthorization(new URL(`http://${login}@proxy.example`));
    t.equal(Buffer.from(value.slice('Basic '.length), 'base64').toString('utf8'), expected);
  }
  t.strictSame(proxyAuthorization(new URL('http://proxy.example')), {});
  t.end();
});

await t.test('a percent sign that encodes nothing is the trouble of the proxy, and nothing of it is quoted', (t) => {
  for (const login of [
    'us%er:hunter2',
    'user:hunter2%',
    'user:hunter2%zz',
    'user:hunter2%C3',
    '%ff:hunter2',
    'hunter2%E2%28',
  ]) {
    t.throws(() => proxyAuthorization(new URL(`http://${login}@proxy.example`)), {
      name: 'NetworkError',
      reason: 'proxy',
      message: /^(?!.*hunter2)/,
      cause: undefined,
    });
  }
  t.end();
});

await t.test('the length of a body is in bytes', async (t) => {
  const bodies: readonly (readonly [body: string | Uint8Array, length: number, bytes: Buffer])[] = [
    ['b\u00f6dy \u2028 \ud83d\ude00', 14, Buffer.from('b\u00f6dy \u2028 \ud83d\ude00', 'utf8')],
    ['', 0, Buffer.alloc(0)],
    [new Uint8Array([0, 13, 10, 255]), 4, Buffer.from([0, 13, 10, 255])],
    [new TextEncoder().encode('xbodyx').subarray(1, 5), 4, Buffer.from('body')],
    ['GET / HTTP/1.1\r\n\r\n', 18, Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['\ud800', 3, Buffer.from('\ufffd')],
  ];
  for (const [body, length, bytes] of bodies) {
    for (const method of ['GET', 'POST', 'PUT'] as const) {
      const text = await sendAndRecord({ method, body }, length);
      t.match(text, `\r\ncontent-length: ${length}\r\n`);
      t.equal(text.slice(text.indexOf('\r\n\r\n') + 4), bytes.toString('latin1'));
    }
  }
});

await t.test('without a body only a method that may have one sends a length', (t) => {
  t.notOk('content-length' in headersOf({}));
  for (const method of ['POST', 'PUT'] as const) t.equal(headersOf({ method })['content-length'], '0');
  t.end();
});

await t.test('only one length is sent, and no other framing of the body', (t) => {
  const headers = { 'Content-Length': '9', 'TRANSFER-ENCODING': 'chunked', Trailer: 'x', Connection: 'close' };
  const usual = { host: 'server.example', connection: 'keep-alive' };
  t.strictSame(headersOf({ headers }), usual);
  t.strictSame(headersOf({ headers, method: 'POST', body: 'four' }), { ...usual, 'content-length': '4' });
  t.end();
});

await t.test('a header that is given in two cases is sent once', (t) => {
  t.match(headersOf({ headers: { 'X-Own': '1', 'x-own': '2' } }), { 'x-own': '2' });
  t.end();
});

const hosts: readonly (readonly [address: string, host: string])[] = [
  ['http://server.example', 'server.example'],
  ['http://server.example:80', 'server.example'],
  ['http://server.example:8080', 'server.example:8080'],
  ['https://server.example:443', 'server.example'],
  ['https://server.example:80', 'server.example:80'],
  ['http://[2001:DB8:0::1]', '[2001:db8::1]'],
  ['http://[::1]:8080', '[::1]:8080'],
  ['http://169.254.169.254', '169.254.169.254'],
  ['http://user:hunter2@server.example', 'server.example'],
  ['http://b\u00fccher.example', 'xn--bcher-kva.example'],
];

for (const [address, host] of hosts) {
  await t.test(`${address} is asked as ${host}`, (t) => {
    const url = new URL(address);
    t.equal(headersOf({ url })['host'], host);
    const { path } = optionsOf({ url }, 'http://proxy.example');
    t.equal(path, url.protocol === 'http:' ? `http://${host}/` : '/');
    t.notMatch(JSON.stringify([optionsOf({ url }), path]), 'hunter2');
    t.end();
  });
}

await t.test('a caller may name another host, once', (t) => {
  t.equal(headersOf({ headers: { Host: 'other.example' } })['host'], 'other.example');
  t.end();
});

/** Such that it breaks no line of a test's output either. */
function toHex(text: string): string {
  return Buffer.from(text, 'utf16le').toString('hex');
}

function optionsOf(changes: Partial<HttpRequest>, proxy?: string): ReturnType<typeof requestOptions> {
  const { url, ...head } = plainRequest('http://server.example/', changes);
  const place = { url, proxy: proxy === undefined ? undefined : new URL(proxy) };
  return requestOptions({ ...head, path: `${url.pathname}${url.search}` }, place);
}

function headersOf(changes: Partial<HttpRequest>): Readonly<Record<string, unknown>> {
  return { ...(optionsOf(changes).headers as Readonly<Record<string, unknown>>) };
}

/** What the server receives, as Latin-1. */
async function sendAndRecord(changes: Partial<HttpRequest>, bodyBytes = 0): Promise<string> {
  received = '';
  awaitedBytes = bodyBytes;
  await plainHttp({}).send(plainRequest(`http://127.0.0.1:${recorder.port}/`, changes), neverAborted);
  return received;
}
