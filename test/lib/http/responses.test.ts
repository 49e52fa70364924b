import { inspect } from 'node:util';
import t from 'tap';
import type { NetworkReason } from '../../../lib/http/network-error.ts';
import { neverAborted, plainHttp, plainRequest } from './loopback.ts';
import { startScriptedServer, okResponse } from './scripted-server.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n`;

interface Good {
  readonly what: string;
  readonly bytes: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ends?: boolean;
}

const good: readonly Good[] = [
  { what: 'a response behind one that says to go on', bytes: `HTTP/1.1 100 Continue\r\n\r\n${okResponse('body')}` },
  {
    what: 'a response behind early hints, whose headers are not its own',
    bytes: `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX: early\r\n\r\n${ok}X: late\r\nContent-Length: 4\r\n\r\nbody`,
    headers: { x: 'late', 'content-length': '4' },
  },
  {
    what: 'a response behind many that say to wait',
    bytes: `${'HTTP/1.1 102 Wait\r\n\r\n'.repeat(500)}${okResponse('body')}`,
  },
  {
    what: 'chunks with extensions and trailers, which are not headers',
    bytes: `${chunked}Trailer: x\r\n\r\n2;a=b;c="d;\\"e"\r\nbo\r\n2\r\ndy\r\n0;last\r\nx: trailing\r\n\r\n`,
    headers: { 'transfer-encoding': 'chunked', trailer: 'x' },
  },
  { what: 'HTTP/1.0, until the connection ends', bytes: 'HTTP/1.0 200 OK\r\n\r\nbody', ends: true },
  { what: 'HTTP/1.0 with a length', bytes: 'HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody' },
  { what: 'a status without words', bytes: 'HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nbody' },
  {
    what: 'a body that nobody wanted compressed, as it is',
    bytes: `${ok}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nbody`,
  },
  { what: 'a header that is on every object', bytes: `${ok}__proto__: a\r\nContent-Length: 4\r\n\r\nbody` },
];

for (const { what, bytes, body = 'body', headers, ends } of good) {
  await t.test(`${what} is read, wherever it is cut`, async (t) => {
    for (const size of [bytes.length, 7, 1]) {
      if (bytes.length / size > 1_000) continue;
      const parts = bytes.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const response = await ask(parts, ends === true);
      t.match(response, { status: 200 });
      t.equal(Buffer.from(response.body).toString('latin1'), body);
      if (headers !== undefined) t.strictSame(response.headers, headers);
    }
  });
}

const bad: readonly (readonly [what: string, bytes: string, reason: NetworkReason])[] = [
  ['length and chunks', `${chunked}Content-Length: 4\r\n\r\n4\r\nhush\r\n0\r\n\r\n`, 'not-http'],
  [
    'chunks and length',
    `${ok}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhush\r\n0\r\n\r\n`,
    'not-http',
  ],
  ['two lengths', `${ok}Content-Length: 4\r\nContent-Length: 5\r\n\r\nhush`, 'not-http'],
  ['a length with a sign', `${ok}Content-Length: +4\r\n\r\nhush`, 'not-http'],
  ['chunks of another encoding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n4\r\nhush\r\n0\r\n\r\n`, 'not-http'],
  ['chunked encoding given twice', `${chunked}Transfer-Encoding: chunked\r\n\r\n4\r\nhush\r\n0\r\n\r\n`, 'not-http'],
  [
    'chunks of another encoding, behind a thousand headers',
    `${ok}${'x:\r\n'.repeat(1_000)}Transfer-Encoding: gzip, chunked\r\n\r\n4\r\nhush\r\n0\r\n\r\n`,
    'not-http',
  ],
  ['an unknown encoding', `${ok}Transfer-Encoding: xchunked\r\n\r\n4\r\nhush\r\n0\r\n\r\n`, 'not-http'],
  ['a folded header', `${ok}X: a\r\n b\r\nContent-Length: 4\r\n\r\nhush`, 'not-http'],
  ['a blank before a colon', `${ok}Content-Length : 4\r\n\r\nhush`, 'not-http'],
  ['a line feed alone', `${ok}X: a\nContent-Length: 4\r\n\r\nhush`, 'not-http'],
  ['a carriage return in a header', `${ok}X: a\rb\r\nContent-Length: 4\r\n\r\nhush`, 'not-http'],
  ['a chunk of another size', `${chunked}\r\n3\r\nhush\r\n0\r\n\r\n`, 'not-http'],
  ['a chunk size with a blank', `${chunked}\r\n4 \r\nhush\r\n0\r\n\r\n`, 'not-http'],
  ['endless trailers', `${chunked}\r\n0\r\n${'x: y\r\n'.repeat(10_000)}`, 'not-http'],
  ['an endless chunk extension', `${chunked}\r\n4;${'e'.repeat(40_000)}`, 'not-http'],
  ['another protocol', 'HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhush', 'not-http'],
  ['another protocol without a name', 'HTTP/1.1 101 Other\r\nContent-Length: 4\r\n\r\nhush', 'not-http'],
  ['a status below 100', 'HTTP/1.1 099 No\r\nContent-Length: 4\r\n\r\nhush', 'not-http'],
  ['another version', 'HTTP/2.0 200 OK\r\nContent-Length: 4\r\n\r\nhush', 'not-http'],
  ['only one that says to wait', 'HTTP/1.1 102 Wait\r\n\r\n', 'reset'],
  ['half of the trailers', `${chunked}\r\n0\r\nx: y\r\n`, 'cut-off'],
  ['half of the body of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhush', 'cut-off'],
];

for (const [what, bytes, reason] of bad) {
  await t.test(`${what}: ${reason}, and the message quotes nothing that was sent`, async (t) => {
    const error = await ask([bytes], true).catch((thrown: unknown) => thrown);
    t.match(error, { name: 'NetworkError', reason });
    t.notMatch(inspect(error, { depth: 10, showHidden: true }), /hush|68 75 73 68/);
  });
}

async function ask(parts: readonly string[], ends: boolean): ReturnType<ReturnType<typeof plainHttp>['send']> {
  const server = await startScriptedServer(t, (socket) => {
    const [part, ...more] = parts;
    const say = (text: string | undefined, rest: readonly string[]): void => {
      if (text === undefined) {
        if (ends) socket.end();
        return;
      }
      socket.write(text, 'latin1', () => setImmediate(() => say(rest[0], rest.slice(1))));
    };
    say(part, more);
  });
  return plainHttp({}).send(plainRequest(server.address, {}), neverAborted);
}
