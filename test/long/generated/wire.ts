import { gzipSync } from 'node:zlib';
import type { Message } from './message.ts';
import { mutateBytes } from './mutate.ts';
import { oddText, secretText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import type { RawResponse } from './raw-servers.ts';

/** The message as a working server sends it. */
export function plainResponse(message: Message): RawResponse {
  return { parts: [encode(withLength(message))], end: 'keep' };
}

export interface BrokenResponseOptions {
  /** It may also wait for the client to lose patience. */
  readonly mayHang: boolean;
  /** It may say when to come back. */
  readonly mayAskToWait: boolean;
}

/** The message as something broken sends it. */
export function brokenResponse(
  random: Random,
  message: Message,
  { mayHang, mayAskToWait }: BrokenResponseOptions,
): RawResponse {
  const more = [...(mayHang ? [[4, silence] as const] : []), ...(mayAskToWait ? requestsToWait : [])];
  return random.pickWeighted([...faults, ...more])(random, message);
}

type Fault = (random: Random, message: Message) => RawResponse;

const faults: readonly (readonly [weight: number, fault: Fault])[] = [
  [6, (random, message) => withStatus(message, random.between(100, 599))],
  [3, (random, message) => plainResponse(oddHeaders(random, message))],
  [3, (random, message) => plainResponse(withHeader(message, 'date', random.pick(dates)))],
  [2, (random, message) => redirect(random, message)],
  [2, (random, message) => oddStatusLine(random, message)],
  [2, (random, message) => wrongLength(random, message)],
  [2, (random, message) => chunked(random, message)],
  [2, (random, message) => cutOff(random, message)],
  [1, (_random, message) => plainResponse(withHeader(message, 'content-encoding', 'gzip'))],
  [1, (_random, message) => zipped(message)],
  [1, (random, message) => ({ parts: [mutateBytes(random, encode(withLength(message)))], end: 'close' })],
  [1, (random) => ({ parts: [Buffer.from(oddText(random))], end: 'close' })],
  [1, (_random, message) => plainResponse({ ...message, body: '' })],
  [1, (_random, message) => plainResponse({ ...message, body: ' '.repeat(1_100_000) })],
  [1, (_random, message) => plainResponse({ ...message, body: `${' '.repeat(900_000)}${message.body}` })],
  [1, (_random, message) => ({ parts: [encode(withLength(message)), encode(withLength(message))], end: 'keep' })],
  [
    1,
    (_random, message) => ({
      parts: [Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), encode(withLength(message))],
      end: 'keep',
    }),
  ],
  [1, (_random, message) => ({ parts: [encode(message)], end: 'close' })],
  [1, () => ({ parts: [], end: 'close' })],
  [1, () => ({ parts: [], end: 'reset' })],
];

const requestsToWait: readonly (readonly [weight: number, fault: Fault])[] = [
  [3, (random, message) => plainResponse(withHeader(message, 'retry-after', random.pick(waits)))],
  [
    3,
    (random, message) =>
      plainResponse(withHeader({ ...message, status: random.pick([429, 503]) }, 'retry-after', random.pick(waits))),
  ],
];

/** After an informational answer a client waits for the real one; the end of the connection spares it that. */
function withStatus(message: Message, status: number): RawResponse {
  return { ...plainResponse({ ...message, status }), end: status < 200 ? 'close' : 'keep' };
}

function silence(random: Random, message: Message): RawResponse {
  const bytes = encode(withLength(message));
  return { parts: [bytes.subarray(0, random.between(0, bytes.length - 1))], end: 'silence' };
}

const waits: readonly string[] = [
  '0',
  '1',
  '2',
  '30',
  '120',
  '99999999999',
  '-1',
  '1.5',
  'soon',
  '',
  '0x10',
  '1, 2',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  new Date(Date.now() + 2_000).toUTCString(),
  'NaN',
  '٣',
];

const dates: readonly string[] = [
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'yesterday',
  '',
  '0',
  '-1',
  '+275760-09-13T00:00:00.000Z',
  'Sat, 01 Jan 2000 00:00:00 GMT',
];

function withHeader(message: Message, name: string, value: string): Message {
  return { ...message, headers: [...message.headers, [name, value]] };
}

function oddHeaders(random: Random, message: Message): Message {
  return random.pickWeighted<() => Message>([
    [2, () => ({ ...message, headers: [] })],
    [2, () => ({ ...message, headers: [...message.headers, ...message.headers] })],
    [1, () => withHeader(message, 'x-long', 'h'.repeat(random.between(1_000, 40_000)))],
    [
      1,
      () => ({
        ...message,
        headers: [...message.headers, ...Array.from({ length: 300 }, (_, index) => [`x-${index}`, 'y'] as const)],
      }),
    ],
    [1, () => withHeader(message, 'x-odd', oddText(random))],
    [1, () => withHeader(message, 'x\u0001odd', 'a')],
    [1, () => withHeader(message, 'set-cookie', secretText(random, '', 60))],
    [
      1,
      () =>
        withHeader(
          message,
          'x-amzn-errortype',
          random.pick(['ThrottlingException', ':', '#', oddText(random), secretText(random, '', 40)]),
        ),
    ],
    [1, () => withHeader(message, 'x-amzn-query-error', random.pick(['AccessDenied;Sender', ';', oddText(random)]))],
    [1, () => withHeader(message, 'connection', random.pick(['close', 'upgrade', oddText(random)]))],
  ])();
}

function redirect(random: Random, message: Message): RawResponse {
  const status = random.pick([300, 301, 302, 303, 304, 305, 307, 308]);
  const to = random.pick(['http://evil.example/', 'https://evil.example/', '//evil.example/', '/latest/api/token', '']);
  return plainResponse(withHeader({ ...message, status }, 'location', to));
}

function oddStatusLine(random: Random, message: Message): RawResponse {
  const line = random.pick([
    'HTTP/1.0 200 OK',
    'HTTP/9.9 200 OK',
    'HTTP/2 200',
    'ICY 200 OK',
    'HTTP/1.1 999 No',
    'HTTP/1.1 42 No',
    'HTTP/1.1 abc',
    'HTTP/1.1 -200 OK',
    'HTTP/1.1',
    `HTTP/1.1 200 ${'k'.repeat(20_000)}`,
    'SSH-2.0-OpenSSH_9.9',
    '',
  ]);
  const text = encode(withLength(message))
    .toString('latin1')
    .replace(/^[^\r]*/, line);
  return { parts: [Buffer.from(text, 'latin1')], end: 'close' };
}

function wrongLength(random: Random, message: Message): RawResponse {
  const right = Buffer.byteLength(message.body);
  const length = random.pick([
    String(right + 10),
    String(Math.max(0, right - 10)),
    '-1',
    'NaN',
    '99999999999999999999',
    '0',
    '0x10',
    `${right}, ${right}`,
    '',
  ]);
  return { parts: [encode(withHeader(message, 'content-length', length))], end: 'close' };
}

function chunked(random: Random, message: Message): RawResponse {
  const size = Buffer.byteLength(message.body).toString(16);
  const body = random.pick([
    `${size}\r\n${message.body}\r\n0\r\n\r\n`,
    `${size};ext=${'e'.repeat(100)}\r\n${message.body}\r\n0\r\nx-trailer: ${secretText(random, '', 20)}\r\n\r\n`,
    `${size}\r\n${message.body}`,
    `zz\r\n${message.body}\r\n0\r\n\r\n`,
    `ffffffffffffffffff\r\n${message.body}`,
    `-1\r\n${message.body}\r\n`,
    message.body,
  ]);
  return { parts: [encode({ ...withHeader(message, 'transfer-encoding', 'chunked'), body })], end: 'close' };
}

function cutOff(random: Random, message: Message): RawResponse {
  const bytes = encode(withLength(message));
  return { parts: [bytes.subarray(0, random.between(1, bytes.length - 1))], end: random.pick(['close', 'reset']) };
}

function zipped(message: Message): RawResponse {
  const body = gzipSync(message.body);
  const headers: Message['headers'] = [
    ...message.headers,
    ['content-encoding', 'gzip'],
    ['content-length', String(body.length)],
  ];
  return { parts: [encode({ ...message, headers, body: '' }), body], end: 'keep' };
}

function withLength(message: Message): Message {
  return withHeader(message, 'content-length', String(Buffer.byteLength(message.body)));
}

function encode({ status, headers, body }: Message): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`HTTP/1.1 ${status} Some Reason\r\n${lines}\r\n${body}`);
}
