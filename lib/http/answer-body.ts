import type { BodyEnd } from './answer-head.ts';
import { notHttp, parseHeader } from './answer-head.ts';
import { isLine } from './header-text.ts';

/** Takes the bytes of one body as they come, and hands its parts on. */
export interface BodyReader {
  /** What follows the body, once that is whole. */
  read(bytes: Buffer): Buffer | undefined;
  /** Is it whole if nothing more comes? */
  readonly endsWithConnection: boolean;
}

type Add = (part: Buffer) => void;

export function bodyReader(end: BodyEnd, add: Add): BodyReader {
  if (end === 'chunked') return { read: chunkReader(add), endsWithConnection: false };
  if (end !== 'connection') return { read: lengthReader(end, add), endsWithConnection: false };
  return { read: untilTheEnd(add), endsWithConnection: true };
}

function untilTheEnd(add: Add): BodyReader['read'] {
  return (bytes) => {
    add(bytes);
    return undefined;
  };
}

function lengthReader(lengthBytes: number, add: Add): BodyReader['read'] {
  let leftBytes = lengthBytes;
  return (bytes) => {
    add(bytes.subarray(0, leftBytes));
    const rest = bytes.subarray(leftBytes);
    leftBytes -= bytes.length - rest.length;
    return leftBytes === 0 ? rest : undefined;
  };
}

/** Sizes with their extensions, and trailers: nobody needs more. */
const longestLinesBytes = 16_384;
const nothing: Buffer = Buffer.alloc(0);

function chunkReader(add: Add): BodyReader['read'] {
  let awaited: 'size' | 'data' | 'end of data' | 'trailers' = 'size';
  let leftBytes = 0;
  let trailerBytes = 0;
  let unread = nothing;

  function read(bytes: Buffer): Buffer | undefined {
    let rest = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    unread = nothing;
    while (rest.length > 0) {
      if (awaited === 'data') {
        rest = takeData(rest);
        continue;
      }
      const end = rest.indexOf('\r\n', 0, 'latin1');
      if (end === -1) {
        keep(rest);
        return undefined;
      }
      if (end > longestLinesBytes) throw notHttp('endless chunk');
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + 2);
      if (isLast(line)) return rest;
    }
    return undefined;
  }

  function takeData(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, leftBytes);
    leftBytes -= part.length;
    if (leftBytes === 0) awaited = 'end of data';
    add(part);
    return bytes.subarray(part.length);
  }

  function keep(bytes: Buffer): void {
    checkPart(bytes, awaited === 'end of data' ? 0 : longestLinesBytes);
    unread = bytes;
  }

  function isLast(line: string): boolean {
    if (awaited === 'size') {
      leftBytes = sizeOf(line);
      awaited = leftBytes === 0 ? 'trailers' : 'data';
      return false;
    }
    if (awaited === 'trailers') {
      trailerBytes += line.length;
      if (trailerBytes > longestLinesBytes) throw notHttp('endless trailers');
      if (line !== '') checkTrailer(line);
      return line === '';
    }
    if (line !== '') throw notHttp('a chunk of another size');
    awaited = 'size';
    return false;
  }

  return read;
}

const carriageReturn = 13;
const lineFeed = 10;

/** Of a line whose end has not come: nothing that could not become one is waited for. */
function checkPart(bytes: Buffer, longestBytes: number): void {
  const lineBytes = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
  if (lineBytes > longestBytes) throw notHttp('endless chunk');
  if (bytes.includes(lineFeed)) throw notHttp('half the end of a line');
}

/** A size and its extensions; no blank anywhere but in quotes. */
const sizeLine = /^([0-9a-f]{1,8})(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]*|"(?:[^"\\]|\\.)*"))?)*$/i;

function sizeOf(line: string): number {
  const [, digits] = sizeLine.exec(line) ?? [];
  if (digits === undefined || !isLine(line)) throw notHttp('no chunk');
  return Number.parseInt(digits, 16);
}

/** Nobody looks at trailers, but none may speak of where the body ends, which it has. */
function checkTrailer(line: string): void {
  const { name } = parseHeader(line);
  if (name === 'content-length' || name === 'transfer-encoding') throw notHttp('a body of unclear length');
}
