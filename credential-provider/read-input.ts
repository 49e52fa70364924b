import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Failure } from '../lib/failure.ts';

const standardInput = 0;
const partBytes = 65_536;
const largestRequestBytes = 1_000_000;
/** The kubelet writes at once; whoever keeps us waiting longer is a person at a terminal. */
const longestWaitMs = 10_000;

/** Standard input to its end. */
export async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  if (!readWhatIsThere(parts)) await readStream(parts);
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Reads without ever waiting, and gives whether that was all, as it is when the kubelet asks: a stream takes 4 ms of a
 * start to load. A blocking read could be neither bounded nor given up, so a pipe is opened once more, since whether its
 * reads wait is a property of the opening, and the given one is not ours alone.
 */
function readWhatIsThere(parts: Buffer[]): boolean {
  const found = fstatSync(standardInput);
  if (found.isFile()) return readToEnd(standardInput, parts);
  const pipe = found.isFIFO() ? openWithoutWaiting() : undefined;
  if (pipe === undefined) return false;
  try {
    return readToEnd(pipe, parts);
  } finally {
    closeSync(pipe);
  }
}

/** `undefined`: not possible here, for instance without /proc. */
function openWithoutWaiting(): number | undefined {
  try {
    return openSync(`/proc/self/fd/${standardInput}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function readToEnd(descriptor: number, parts: Buffer[]): boolean {
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(partBytes);
      const lengthBytes = readSync(descriptor, part);
      if (lengthBytes === 0) return true;
      parts.push(part.subarray(0, lengthBytes));
      if (isTooMuch(parts)) throw tooLarge();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error instanceof Failure ? error : unreadable('cannot be read');
  }
}

function readStream(parts: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unreadable('did not end within 10 s')), longestWaitMs);
    process.stdin.on('data', (part: Buffer) => {
      parts.push(part);
      if (isTooMuch(parts)) reject(tooLarge());
    });
    process.stdin.on('error', () => reject(unreadable('cannot be read')));
    process.stdin.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function isTooMuch(parts: readonly Buffer[]): boolean {
  return parts.reduce((sum, { length }) => sum + length, 0) > largestRequestBytes;
}

function tooLarge(): Failure {
  return unreadable('is larger than 1 MB');
}

function unreadable(why: string): Failure {
  return new Failure('invalid-response', `the request cannot be read: standard input ${why}`, {
    remedy: 'write one CredentialProviderRequest to it and close it',
  });
}
