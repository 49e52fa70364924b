import { isHeaderName, isLine } from './header-text.ts';
import { NetworkError } from './network-error.ts';

/** What stands before the body of an answer, and how the body's end is found. */
export interface AnswerHead {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with ', '. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyEnd;
  /** May the connection carry another request after this answer? */
  readonly keepsConnection: boolean;
}

/** After so many bytes, by its chunks, or where the connection ends. */
export type BodyEnd = number | 'chunked' | 'connection';

/** As much as Node's own client takes. */
const longestHeadBytes = 16_384;
const separator = '\r\n\r\n';

/** The text of the head and the bytes behind it; `undefined`: it is not whole yet. */
export function splitHead(bytes: Buffer): { readonly head: string; readonly rest: Buffer } | undefined {
  const end = bytes.indexOf(separator, 0, 'latin1');
  // Part of the separator may be here already: where the bytes are cut makes no difference.
  const headBytes = end === -1 ? bytes.length - (separator.length - 1) : end;
  if (headBytes > longestHeadBytes) throw notHttp('endless headers');
  if (end === -1) {
    // Whoever speaks another protocol may wait for us to go on.
    if (!startsLikeHttp(bytes)) throw notHttp('no status line');
    return undefined;
  }
  return { head: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + separator.length) };
}

function startsLikeHttp(bytes: Buffer): boolean {
  const start = 'HTTP/1.';
  const lineFeedAt = bytes.indexOf('\n', 0, 'latin1');
  const endsLines = lineFeedAt === -1 || bytes.toString('latin1', lineFeedAt - 1, lineFeedAt) === '\r';
  return endsLines && bytes.toString('latin1', 0, start.length) === start.slice(0, bytes.length);
}

/** Strict as a client has to be who shares a connection with nobody: what could be read in two ways is refused. */
export function parseHead(head: string): AnswerHead {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const [, minor, digits] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(statusLine) ?? [];
  if (digits === undefined || !isLine(statusLine)) throw notHttp('no status line');
  const headers = parseHeaders(lines);
  const status = Number(digits);
  const body = bodyEnd(status, headers);
  const connection = [headers['connection'], headers['proxy-connection']].flatMap(tokens);
  const staysOpen = minor === '1' && !connection.includes('close');
  return { status, headers, body, keepsConnection: staysOpen && body !== 'connection' };
}

function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const { name, value } of lines.map(parseHeader)) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(found);
}

/** The name in lower case. */
export function parseHeader(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!isHeaderName(name) || !isLine(line)) throw notHttp('no header');
  // Some take a tab there for part of the value, and look for the body's end elsewhere.
  if (name === 'transfer-encoding' && /\t *$/.test(line)) throw notHttp('a body of unclear length');
  return { name, value: withoutBlanks(line.slice(colon + 1)) };
}

/** A blank is a space or a tab; what else counts as one elsewhere is part of a value. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (start < end && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/** No regular expression: compiling two more takes longer at each start than all that is read by them. */
function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function bodyEnd(status: number, headers: Readonly<Record<string, string>>): BodyEnd {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined && (length !== undefined || encoding.toLowerCase() !== 'chunked')) {
    throw notHttp('a body of unclear length');
  }
  // A length that was said twice is no number any more.
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw notHttp('a body of unclear length');
  if (hasNoBody(status)) return 0;
  if (encoding !== undefined) return 'chunked';
  return length === undefined ? 'connection' : Number(length);
}

function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

function tokens(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').map((token) => withoutBlanks(token).toLowerCase());
}

/** The message is ours alone: nothing is quoted of what somebody sent. */
export function notHttp(what: string): NetworkError {
  return new NetworkError('not-http', what);
}
