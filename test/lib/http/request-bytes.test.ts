import t from 'tap';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { headText, requestBytes } from '../../../lib/http/request-bytes.ts';
import { proxyAuthorization } from '../../../lib/http/tunnel.ts';
import { plainRequest } from './loopback.ts';

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).filter((each) => each !== '\t');
const lineBreakers = [...controls, '\u007f', '\u0100', '\u2028', '\u010a', '\ud83d\ude00', '\ud800'];

await t.test('no value of a header ends its line, nor does it become another one', (t) => {
  for (const odd of lineBreakers) {
    for (const value of [odd, `a${odd}`, `${odd}b`, `a${odd}evil: yes`]) {
      t.throws(() => written({ headers: { 'x-own': value } }), {
        name: 'NetworkError',
        reason: 'other',
        message: 'the value of the header "x-own" cannot be sent',
      });
    }
  }
  t.end();
});

await t.test('nor does its name', (t) => {
  for (const odd of [...lineBreakers, ' ', '\t', ':', '(', '\u00e9', '']) {
    for (const name of odd === '' ? [''] : [odd, `a${odd}`, `${odd}b`, `a: b${odd}c`]) {
      t.throws(() => written({ headers: { [name]: 'v' } }), { name: 'NetworkError', reason: 'other' }, shown(name));
    }
  }
  t.end();
});

await t.test('what Latin-1 has is sent as one byte, a tab as it is', (t) => {
  t.strictSame(lines({ headers: { 'x-own': '\u00e9\t\u00ff ~' } }), [
    'GET / HTTP/1.1',
    'host: server.example',
    'x-own: \u00e9\t\u00ff ~',
    'connection: keep-alive',
  ]);
  t.end();
});

await t.test('a method is one word', (t) => {
  for (const method of ['', 'GET /evil HTTP/1.1\r\nx:', 'GET\r\n', 'GE T', 'G\u00c9T', '\tGET', 'GET\u0000']) {
    const request = { method: method as 'GET' };
    t.throws(() => written(request), { name: 'NetworkError', reason: 'other' }, shown(method));
  }
  t.end();
});

await t.test('a path and a query are one word, whatever was put into the address', (t) => {
  for (const odd of [...lineBreakers, ' ', '\t', '\u00e9', ' HTTP/1.1\r\nevil: yes\r\n\r\n']) {
    const url = new URL(`http://server.example/a${odd}b?c=${odd}d#${odd}`);
    const [first = '', ...rest] = lines({ url });
    t.match(first, /^GET \/a[!-~]*b\?c=[!-~]*d HTTP\/1\.1$/, shown(odd));
    t.strictSame(rest, lines({}).slice(1));
    url.pathname = `/${odd}`;
    url.search = odd;
    t.match(lines({ url })[0], /^GET \/[!-~]* HTTP\/1\.1$/);
    t.match(lines({ url }, {})[0], /^GET http:\/\/server\.example\/[!-~]* HTTP\/1\.1$/);
  }
  t.end();
});

await t.test('the first line is looked at however it was made', (t) => {
  for (const line of [
    'CONNECT a\r\nb HTTP/1.1',
    'CONNECT a b HTTP/1.1',
    'CONNECT  HTTP/1.1',
    'CONNECT \u00e9 HTTP/1.1',
    'GET / HTTP/1.1\n',
  ]) {
    t.throws(() => headText(line, {}), {
      name: 'NetworkError',
      reason: 'other',
      message: 'the address cannot be sent',
    });
  }
  t.end();
});

await t.test('the name and password in the address of a proxy end no line', (t) => {
  for (const odd of ['%0d%0aevil: yes', '%0D%0A%0D%0A', '%00', '%E2%80%A8', '\r\n', '\t', '%3A', '\u00fc']) {
    const headers = proxyAuthorization(new URL(`http://us${odd}er:pass${odd}word@proxy.example:3128`));
    t.match(headers['proxy-authorization'], /^Basic [A-Za-z0-9+/]+=*$/, shown(odd));
    t.strictSame(Object.keys(headers), ['proxy-authorization']);
    t.equal(lines({}, headers).length, lines({}).length + 1);
  }
  t.end();
});

await t.test('a proxy is told the name and the password as they are meant', (t) => {
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

await t.test('a body is as long as it says, in bytes', (t) => {
  const bodies: readonly (readonly [body: string | Uint8Array, length: string, bytes: Buffer])[] = [
    ['b\u00f6dy \u2028 \ud83d\ude00', '14', Buffer.from('b\u00f6dy \u2028 \ud83d\ude00', 'utf8')],
    ['', '0', Buffer.alloc(0)],
    [new Uint8Array([0, 13, 10, 255]), '4', Buffer.from([0, 13, 10, 255])],
    [new TextEncoder().encode('xbodyx').subarray(1, 5), '4', Buffer.from('body')],
    ['GET / HTTP/1.1\r\n\r\n', '18', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['\ud800', '3', Buffer.from('\ufffd')],
  ];
  for (const [body, length, bytes] of bodies) {
    for (const method of ['GET', 'POST', 'PUT'] as const) {
      const all = written({ method, body });
      const end = all.indexOf('\r\n\r\n') + 4;
      t.match(all.toString('latin1', 0, end), `\r\ncontent-length: ${length}\r\n`);
      t.strictSame(all.subarray(end), bytes);
    }
  }
  t.end();
});

await t.test('without a body only a method that may have one tells of a length', (t) => {
  t.notMatch(written({}).toString('latin1'), /content-length/i);
  for (const method of ['POST', 'PUT'] as const) t.equal(lines({ method }).at(-1), 'content-length: 0');
  t.end();
});

await t.test('the length is told once, by us, and no other end of the body', (t) => {
  const headers = { 'Content-Length': '9', 'TRANSFER-ENCODING': 'chunked', Connection: 'close' };
  t.strictSame(lines({ headers }), ['GET / HTTP/1.1', 'host: server.example', 'connection: keep-alive']);
  t.strictSame(lines({ headers, method: 'POST', body: 'four' }).slice(1), [
    'host: server.example',
    'connection: keep-alive',
    'content-length: 4',
  ]);
  t.end();
});

await t.test('a header that is given in two cases is sent once', (t) => {
  t.strictSame(lines({ headers: { 'X-Own': '1', 'x-own': '2' } }).slice(2), ['x-own: 2', 'connection: keep-alive']);
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
    t.strictSame(
      lines({ url }).filter((line) => line.startsWith('host:')),
      [`host: ${host}`],
    );
    t.equal(lines({ url }, {})[0], `GET ${url.protocol}//${host}/ HTTP/1.1`);
    t.notMatch(written({ url }, {}).toString('latin1'), 'hunter2');
    t.end();
  });
}

await t.test('a caller may name another host, once', (t) => {
  t.strictSame(lines({ headers: { Host: 'other.example' } }).slice(1), [
    'host: other.example',
    'connection: keep-alive',
  ]);
  t.end();
});

/** Such that it breaks no line of a test's output either. */
function shown(text: string): string {
  return Buffer.from(text, 'utf16le').toString('hex');
}

function written(changes: Partial<HttpRequest>, throughProxy?: Readonly<Record<string, string>>): Buffer {
  return requestBytes(plainRequest('http://server.example/', changes), throughProxy);
}

/** Of the head alone. */
function lines(changes: Partial<HttpRequest>, throughProxy?: Readonly<Record<string, string>>): readonly string[] {
  const [head = ''] = written(changes, throughProxy).toString('latin1').split('\r\n\r\n');
  return head.split('\r\n');
}
