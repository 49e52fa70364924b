import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { createAnswerReader } from '../../../lib/http/answer-reader.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';
import type { NetworkReason } from '../../../lib/http/network-error.ts';
import { byteByByte, latin1, readOurs } from './our-answer.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

interface Good {
  readonly what: string;
  readonly text: string;
  readonly body: string;
  readonly keepsConnection: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const good: readonly Good[] = [
  { what: 'a length', text: `${ok}Content-Length: 4\r\n\r\nbody`, body: 'body', keepsConnection: true },
  { what: 'a length of nothing', text: `${ok}Content-Length: 0\r\n\r\n`, body: '', keepsConnection: true },
  { what: 'chunks', text: `${chunked}3\r\nbod\r\n01\r\ny\r\n0\r\n\r\n`, body: 'body', keepsConnection: true },
  {
    what: 'chunks that hold line ends',
    text: `${chunked}6\r\n\r\n0\r\n\r\r\n2\r\n\n\n\r\n0\r\n\r\n`,
    body: '\r\n0\r\n\r\n\n',
    keepsConnection: true,
  },
  {
    what: 'extensions and trailers',
    text: `${chunked}4;a;b=c;d="e;\\"f"\r\nbody\r\n0;z\r\nx-sum: 1\r\ny:\r\n\r\n`,
    body: 'body',
    keepsConnection: true,
    headers: { 'transfer-encoding': 'chunked' },
  },
  { what: 'the end of the connection', text: `${ok}\r\nbody`, body: 'body', keepsConnection: false },
  {
    what: 'that it closes',
    text: `${ok}Connection: x, Close\r\nContent-Length: 4\r\n\r\nbody`,
    body: 'body',
    keepsConnection: false,
  },
  {
    what: 'that a proxy closes',
    text: `${ok}Proxy-Connection: close\r\nContent-Length: 0\r\n\r\n`,
    body: '',
    keepsConnection: false,
  },
  {
    what: 'an old version',
    text: 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody',
    body: 'body',
    keepsConnection: false,
  },
  { what: 'no reason', text: 'HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nbody', body: 'body', keepsConnection: true },
  {
    what: 'others ahead of it',
    text: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\nContent-Length: 9\r\n\r\n${ok}Content-Length: 4\r\n\r\nbody`,
    body: 'body',
    keepsConnection: true,
    headers: { 'content-length': '4' },
  },
  {
    what: 'headers in any case, again, and with blanks around them',
    text: `${ok}X-A:\t1 \r\nx-a: 2\r\n__proto__: p\r\nX-B:\u00a0\u00e9\u00a0\r\nCONTENT-LENGTH:  4\t\r\nX-a:\r\n\r\nbody`,
    body: 'body',
    keepsConnection: true,
    headers: { 'x-a': '1, 2, ', ['__proto__']: 'p', 'x-b': '\u00a0\u00e9\u00a0', 'content-length': '4' },
  },
  {
    what: 'nothing, whatever length it tells of',
    text: 'HTTP/1.1 304 No\r\nContent-Length: 4\r\n\r\n',
    body: '',
    keepsConnection: true,
  },
  {
    what: 'more than was asked for',
    text: `${ok}Content-Length: 4\r\n\r\nbodyHTTP/1.1 200 OK\r\n\r\nevil`,
    body: 'body',
    keepsConnection: false,
  },
  {
    what: 'more than a body that is none',
    text: 'HTTP/1.1 204 No\r\nContent-Length: 4\r\n\r\nbody',
    body: '',
    keepsConnection: false,
  },
];

for (const { what, text, body, keepsConnection, headers } of good) {
  await t.test(`an answer with ${what} is the same however it is cut`, (t) => {
    const bytes = latin1(text);
    const { outcome } = readOurs([bytes]);
    t.match(outcome, { body, keepsConnection });
    if (headers !== undefined) t.strictSame(outcome, { ...outcome, headers });
    t.strictSame(readOurs(byteByByte(bytes)).outcome, outcome);
    for (let at = 0; at <= bytes.length; at += 1) {
      t.strictSame(readOurs([bytes.subarray(0, at), bytes.subarray(at)]).outcome, outcome, `cut at ${at}`);
    }
    t.end();
  });
}

await t.test('an answer of which anything is missing is none', (t) => {
  for (const { what, text } of good.filter(({ keepsConnection }) => keepsConnection)) {
    const bytes = latin1(text);
    for (let at = 0; at < bytes.length; at += 1) {
      t.match(
        readOurs([bytes.subarray(0, at)]).outcome,
        { refused: /^(?:reset|cut-off)$/ },
        `${what}, cut off at ${at}`,
      );
    }
  }
  t.end();
});

const endless = 'y'.repeat(20_000);
const limits: readonly (readonly [what: string, fits: string, tooLong: string, reason: NetworkReason])[] = [
  ['a head', withHeadOf(16_384), withHeadOf(16_385), 'not-http'],
  ['the line of a chunk', withSizeLineOf(16_384), withSizeLineOf(16_385), 'not-http'],
  ['all trailers', withTrailersOf(16_384), withTrailersOf(16_385), 'not-http'],
  ['a body', `${ok}\r\n${'b'.repeat(1_000_000)}`, `${ok}\r\n${'b'.repeat(1_000_001)}`, 'too-large'],
  ['a body in chunks', inChunks(1_000_000), inChunks(1_000_001), 'too-large'],
];

for (const [what, fits, tooLong, reason] of limits) {
  await t.test(`${what} has a limit, which is the same however it is cut`, (t) => {
    for (const parts of someCuts(latin1(fits))) t.match(readOurs(parts).outcome, { status: 200 });
    for (const parts of someCuts(latin1(tooLong))) t.match(readOurs(parts).outcome, { refused: reason });
    t.end();
  });
}

await t.test('what has no end is given up before that', (t) => {
  const starts = [ok, `${ok}X: `, `${chunked}4;`, `${chunked}0\r\n`, `${chunked}0\r\nx: `, 'HTTP/1.1 '];
  for (const start of starts) {
    const reader = createAnswerReader(undefined);
    t.throws(() => Array.from({ length: 50 }, () => reader.read(latin1(`${start}${endless}`))), {
      name: 'NetworkError',
      reason: 'not-http',
    });
  }
  t.end();
});

await t.test('a body of as many parts as bytes costs no more than its bytes', (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const reader = createAnswerReader(undefined);
  reader.read(latin1(chunked));
  const part = latin1('1\r\nx\r\n'.repeat(10_000));
  collect();
  const startedAtMs = performance.now();
  const beforeBytes = process.memoryUsage().heapUsed;
  for (let count = 0; count < 90; count += 1) reader.read(part);
  collect();
  t.ok(process.memoryUsage().heapUsed - beforeBytes < 20_000_000);
  t.equal(reader.read(latin1('0\r\n\r\n'))?.response.body.length, 900_000);
  t.ok(performance.now() - startedAtMs < 15_000);
  t.end();
});

const speechless: readonly (readonly [what: string, text: string])[] = [
  ['line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
  ['a chunk that ends with a line feed alone', `${chunked}4\nbody`],
  ['a chunk that goes on', `${chunked}4\r\nbodyx`],
  ['a banner', 'SSH-2.0-x'],
  ['a carriage return too many', `${chunked}4\r\nbody\r\r`],
];

for (const [what, text] of speechless) {
  await t.test(`whoever sends ${what} is not waited for`, (t) => {
    t.throws(() => createAnswerReader(undefined).read(latin1(text)), { name: 'NetworkError', reason: 'not-http' });
    t.throws(() => byteByByte(latin1(text)).map(createAnswerReader(undefined).read), {
      name: 'NetworkError',
      reason: 'not-http',
    });
    t.end();
  });
}

interface Ended {
  readonly text: string;
  readonly because: NetworkReason | undefined;
  readonly reason: NetworkReason;
}

const ends: readonly Ended[] = [
  { text: '', because: undefined, reason: 'reset' },
  { text: '', because: 'tls', reason: 'tls' },
  { text: `${ok}X`, because: 'reset', reason: 'reset' },
  { text: 'HTTP/1.1 100 Continue\r\n\r\n', because: undefined, reason: 'reset' },
  { text: `${ok}Content-Length: 4\r\n\r\nbod`, because: undefined, reason: 'cut-off' },
  { text: `${ok}Content-Length: 4\r\n\r\nbod`, because: 'reset', reason: 'cut-off' },
  { text: `${ok}Content-Length: 4\r\n\r\nbod`, because: 'connect-timeout', reason: 'connect-timeout' },
  { text: `${chunked}4\r\nbody\r\n0\r\n`, because: undefined, reason: 'cut-off' },
  { text: `${ok}\r\nbody`, because: 'reset', reason: 'cut-off' },
  { text: `${ok}\r\nbody`, because: 'tls', reason: 'tls' },
];

for (const { text, because, reason } of ends) {
  await t.test(`${JSON.stringify(text)}, then ${because ?? 'the end'}, is ${reason}`, (t) => {
    const reader = createAnswerReader(undefined);
    reader.read(latin1(text));
    t.throws(() => reader.end(because === undefined ? undefined : new NetworkError(because, '')), {
      name: 'NetworkError',
      reason,
    });
    t.end();
  });
}

await t.test('nothing that was sent is quoted', (t) => {
  for (const start of ['', ok, chunked, `${chunked}4\r\nbody`, `${chunked}0\r\n`, `${ok}Content-Length: `]) {
    t.throws(() => createAnswerReader(undefined).read(latin1(`${start}hunter2 \u0000\r\n\r\n`)), {
      name: 'NetworkError',
      message: /^(?!.*hunter2)/,
    });
  }
  t.end();
});

function withHeadOf(lengthBytes: number): string {
  const start = `${ok}Content-Length: 0\r\nx: `;
  return `${start}${'y'.repeat(lengthBytes - start.length)}\r\n\r\n`;
}

function withSizeLineOf(lengthBytes: number): string {
  return `${chunked}4;${'x'.repeat(lengthBytes - 2)}\r\nbody\r\n0\r\n\r\n`;
}

function withTrailersOf(lengthBytes: number): string {
  const [first, second] = ['a: b', 'x: '];
  return `${chunked}0\r\n${first}\r\n${second}${'y'.repeat(lengthBytes - first.length - second.length)}\r\n\r\n`;
}

function inChunks(bodyBytes: number): string {
  return `${chunked}${(bodyBytes - 1).toString(16)}\r\n${'b'.repeat(bodyBytes - 1)}\r\n1\r\nb\r\n0\r\n\r\n`;
}

/** Near both ends, where the limits are, and whole. */
function someCuts(bytes: Buffer): readonly (readonly Buffer[])[] {
  const places = Array.from({ length: 12 }, (_, index) => bytes.length - index);
  const around = Array.from({ length: 20 }, (_, index) => 16_384 + chunked.length + index - 10);
  return [...places, ...around].map((at) => [bytes.subarray(0, at), bytes.subarray(at)]);
}
