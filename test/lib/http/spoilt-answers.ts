import type { Random } from '../../support/random.ts';
import { encode } from './made-answers.ts';
import type { MadeAnswer } from './made-answers.ts';

export interface SpoiltAnswer {
  readonly how: string;
  readonly bytes: Buffer;
}

/** An answer that is broken, lies, or is meant to be read in two ways. */
export function spoil(random: Random, answer: MadeAnswer): SpoiltAnswer {
  const [how, change] = random.pick(spoilers);
  return { how, bytes: change(random, answer) };
}

type Spoiler = readonly [how: string, change: (random: Random, answer: MadeAnswer) => Buffer];

const spoilers: readonly Spoiler[] = [
  ['another status line', (random, answer) => encode({ ...answer, statusLine: random.pick(statusLines) })],
  ['another header', (random, answer) => encode(withLine(random, answer, random.pick(oddHeaders)))],
  ['another length', (random, answer) => encode(withLength(random, answer, random.pick(lengths(answer))))],
  ['another encoding', (random, answer) => encode(withEncoding(random, answer, random.pick(encodings)))],
  ['a length twice', (random, answer) => twice(random, answer, ['content-length', ` ${answer.body.length}`])],
  ['an encoding twice', (random, answer) => twice(random, answer, ['transfer-encoding', ' chunked'])],
  ['length and encoding', (random, answer) => withBoth(random, answer)],
  ['other chunks', (random, answer) => otherChunks(random, answer)],
  [
    'other trailers',
    (random, answer) => inChunks(random, answer, `4\r\nbody\r\n0\r\n${random.pick(trailers)}\r\n\r\n`),
  ],
  ['something before it', (random, answer) => encode({ ...answer, interim: random.pick(before) + answer.interim })],
  ['another interim head', (random, answer) => encode({ ...answer, interim: random.pick(interims) })],
  ['something behind it', (random, answer) => Buffer.concat([encode(answer), latin1(random.pick(behind))])],
  ['an end too soon', (random, answer) => cutOff(random, encode(answer))],
  ['bare line feeds', (random, answer) => bareLineFeeds(random, encode(answer))],
  ['another byte', (random, answer) => otherByte(random, encode(answer))],
  ['another byte in the head', (random, answer) => otherByteInHead(random, encode(answer))],
  ['a line more or less', (random, answer) => otherLine(random, encode(answer))],
  ['endless headers', (random, answer) => endless(random, answer)],
];

const statusLines: readonly string[] = [
  'http/1.1 200 OK', 'Http/1.1 200 OK', 'HTTP/2.0 200 OK', 'HTTP/2 200 OK', 'HTTP/0.9 200 OK', 'HTTP/1.2 200 OK',
  'HTTP/1.10 200 OK', 'HTTP/11 200 OK', 'HTTP/1 200 OK', 'HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK', 'HTTP/1.1 099 OK',
  'HTTP/1.1 000 OK', 'HTTP/1.1 2x0 OK', 'HTTP/1.1 +20 OK', 'HTTP/1.1 -20 OK', 'HTTP/1.1 200OK', 'HTTP/1.1 200\tOK',
  'HTTP/1.1  200 OK', 'HTTP/1.1\t200 OK', ' HTTP/1.1 200 OK', 'HTTP/1.1 200 O\u0000K', 'HTTP/1.1 200 O\u0001K',
  'HTTP/1.1 200 O\u007fK', 'HTTP/1.1 200 O\rK', 'HTTP/1.1 200 O\nK', 'HTTP/1.1', 'HTTP/1.1 ', 'ICY 200 OK', '200 OK',
  'RTSP/1.0 200 OK', 'ICE/1.0 200 OK', 'SSH-2.0-OpenSSH_9.9', 'GET / HTTP/1.1', 'HTTP/1.1 101 Switching Protocols', '',
]; // prettier-ignore

const oddHeaders: readonly (readonly [name: string, value: string])[] = [
  [' x', 'folded'], ['\tx', 'folded'], ['x ', 'a'], ['x\t', 'a'], ['', 'no name'], ['x y', 'a'], ['x\u0000', 'a'],
  ['x', 'a\u0000b'], ['x', 'a\u0001b'], ['x', 'a\u007fb'], ['x', 'a\rb'], ['x', 'a\nb'], ['x', 'a\n b'],
  ['x', 'a\r\n b'], ['x', 'a\r\n\tb'], ['x', 'a\r\n'], ['x', 'a\r\n\r\nb'], ['x', 'a\u000bb'], ['x', 'a\u000cb'],
  ['x', '\u0085a\u0085'], ['x', '\u00a0a\u00a0'], ['x\u00e9', 'a'], ['[x]', 'a'], ['x(y)', 'a'], ['x=y', 'a'],
  ['x\r\ny', 'a'], ['x\r', 'a'], ['x\n', 'a'], ['upgrade', ' h2c'], ['connection', ' upgrade'], ['x', ':a'],
]; // prettier-ignore

function lengths({ body }: MadeAnswer): readonly string[] {
  const right = body.length;
  return [
    `+${right}`, `-${right}`, '-0', `0x${right.toString(16)}`, `${right}.0`, `${right}e0`, `${right}, ${right}`, ' ', '',
    `${right},`, `${right} ${right}`, `0${right}`, `${'0'.repeat(20)}${right}`, `${right}\u00a0`, `\u00a0${right}`,
    `${right}\u0000`, `${right};`, '99999999999999999999999', '18446744073709551616', '9007199254740993',
    '999999999999999', '1000000000000000', `${right + 1}`, `${Math.max(0, right - 1)}`, 'many', `"${right}"`,
  ]; // prettier-ignore
}

const encodings: readonly string[] = [
  'chunked, gzip', 'gzip, chunked', 'gzip,chunked', 'chunked, chunked', 'chunked,', ',chunked', 'chunked;q=1', 'identity',
  'identity, chunked', 'xchunked', 'chunkedx', 'chunked x', '"chunked"', 'chunked\u00a0', '\u00a0chunked', '', ' ', 'gzip',
  'chunked\u0000', 'chunked\r\n ,gzip', 'chunke', 'CHUNKED', 'chunked \t', 'chunked\u000b',
]; // prettier-ignore

const sizes: readonly string[] = [
  '+4', '-4', '0x4', ' 4', '4 ', '4\t', '4 ;a=b', '4;', '4; a=b', '4;a =b', '4;a= b', '4;a="b', '4;a="b"c', '4;=b', '4;a=',
  '4;a;b', '4;\u0000', '4;a\u00e9', '4;a="\u00e9"', '4;a="\u007f"', '', 'g', '4g', '4.0', '4,4', '000000000000000000004',
  '00000004', '000000004', 'fffffffff', 'ffffffffffffffff', '10000000000000004', 'ffffffff', '7fffffff', '3', '5', '4\r',
  '4;a\rb', '4;a\nb', '4\u00a0', '\r\n4', '４', '4;a="\\"', '4;a="\\""',
]; // prettier-ignore

const trailers: readonly string[] = [
  'x: y', 'x: y\r\nx: z', 'x', ' x: y', 'x : y', ': y', 'x: y\r\n z', 'x: a\u0000b', 'x: y\n', '\nx: y', 'x\r', 'x: a\u007fb',
  'content-length: 4', 'transfer-encoding: chunked', 'connection: close', `x: ${'y'.repeat(16_000)}\r\nx: ${'y'.repeat(900)}`,
]; // prettier-ignore

const before: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ' ',
  '\t',
  '\u0000',
  '\u00ef\u00bb\u00bf',
  'HTTP/1.1 ',
  '\r\r\n',
];

const interims: readonly string[] = [
  'HTTP/1.0 100 Continue\r\n\r\n', 'HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n', 'HTTP/1.1 100 Continue\r\n',
  'HTTP/1.1 100 Continue\n\n', 'HTTP/1.1 100 Continue\r\n\r\n\r\n', 'HTTP/1.1 101 Other\r\nUpgrade: h2c\r\n\r\n',
  'HTTP/1.1 100 Continue\r\nContent-Length: 4\r\n\r\nbody', 'HTTP/1.1 099 No\r\n\r\n', 'HTTP/1.1 1000 No\r\n\r\n',
  'HTTP/1.1 100 Continue\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n', 'HTTP/1.1 204 None\r\n\r\n',
  'HTTP/1.1 100 Continue\r\nContent-Length: x\r\n\r\n', 'HTTP/1.1 100 Continue\r\nTransfer-Encoding: gzip\r\n\r\n',
]; // prettier-ignore

const behind: readonly string[] = [
  '\r\n', '\n', ' ', '\u0000', 'evil', '0\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil', 'HTTP/1.1 ',
]; // prettier-ignore

/** Rarely, since reading them byte by byte takes long. */
function endless(random: Random, answer: MadeAnswer): Buffer {
  const lengthBytes = random.chance(0.1) ? random.between(16_000, 17_000) : random.between(100, 800);
  return encode(withLine(random, answer, ['x-long', 'h'.repeat(lengthBytes)]));
}

function withLine(random: Random, answer: MadeAnswer, line: readonly [string, string]): MadeAnswer {
  const at = random.between(0, answer.headers.length);
  return { ...answer, headers: answer.headers.toSpliced(at, 0, line) };
}

function without(answer: MadeAnswer, ...names: readonly string[]): MadeAnswer {
  return { ...answer, headers: answer.headers.filter(([name]) => !names.includes(name.toLowerCase())) };
}

function withLength(random: Random, answer: MadeAnswer, value: string): MadeAnswer {
  return withLine(random, without(answer, 'content-length', 'transfer-encoding'), ['Content-Length', value]);
}

function withEncoding(random: Random, answer: MadeAnswer, value: string): MadeAnswer {
  return withLine(random, without(answer, 'content-length', 'transfer-encoding'), ['Transfer-Encoding', value]);
}

function twice(random: Random, answer: MadeAnswer, line: readonly [string, string]): Buffer {
  return encode(withLine(random, withLine(random, answer, line), line));
}

function withBoth(random: Random, answer: MadeAnswer): Buffer {
  const body = random.pick([answer.body, '4\r\nbody\r\n0\r\n\r\n']);
  const once = withLength(random, { ...answer, body }, String(random.pick([body.length, 4, 0])));
  return encode(withLine(random, once, ['Transfer-Encoding', random.pick(['chunked', random.pick(encodings)])]));
}

function inChunks(random: Random, answer: MadeAnswer, body: string): Buffer {
  return encode({ ...withEncoding(random, answer, 'chunked'), body });
}

function otherChunks(random: Random, answer: MadeAnswer): Buffer {
  const first = random.chance(0.5) ? '2\r\nab\r\n' : '';
  const [size, content] = [random.pick(sizes), random.pick(['body', 'body', 'bodybodybody', ''])];
  const end = random.pick(['\r\n', '\r\n', '\r\n', '\n', '\r', '', '\r\r\n', '\n\r', '\r\n\r\n', ' \r\n']);
  return inChunks(
    random,
    answer,
    `${first}${size}\r\n${content}${end}${random.pick(['0\r\n\r\n', '0\r\n\r\n', '0\r\n', '', '-0\r\n\r\n'])}`,
  );
}

function cutOff(random: Random, bytes: Buffer): Buffer {
  return bytes.subarray(0, random.between(0, bytes.length - 1));
}

function bareLineFeeds(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return latin1(random.chance(0.3) ? text.replaceAll('\r\n', '\n') : withoutOne(random, text, '\r'));
}

function withoutOne(random: Random, text: string, what: string): string {
  const places = [...text.matchAll(new RegExp(what, 'g'))].map(({ index }) => index);
  const at = places.length === 0 ? 0 : random.pick(places);
  return text.slice(0, at) + text.slice(at + 1);
}

const oddBytes = '\u0000\u0001\t\n\u000b\r \u007f\u0080\u00a0\u00ff:;,"0159afAF-+=hH';

function otherByte(random: Random, bytes: Buffer): Buffer {
  const at = random.between(0, Math.max(0, bytes.length - 1));
  const [drop, put] = [random.between(0, 1), random.characters(oddBytes, random.between(0, 2))];
  return Buffer.concat([bytes.subarray(0, at), latin1(put), bytes.subarray(at + drop)]);
}

function otherByteInHead(random: Random, bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n') + 4;
  return Buffer.concat([otherByte(random, bytes.subarray(0, end)), bytes.subarray(end)]);
}

function otherLine(random: Random, bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split('\r\n');
  const [at, from] = [random.between(0, lines.length - 1), random.between(0, lines.length - 1)];
  const moved = random.chance(0.5) ? [lines[from] ?? ''] : [];
  return latin1(lines.toSpliced(at, random.between(0, 1), ...moved).join('\r\n'));
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
