import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Failure } from '../lib/failure.ts';

const standardInput = 0;
const chunkBytes = 65_536;
const maxRequestBytes = 1_000_000;
/** The kubelet writes at once; only a person at a terminal takes longer. */
const maxWaitMs = 10_000;

/** Standard input to its end. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  if (!readAvailable(chunks)) await readStream(chunks);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Reads what is available without blocking, and returns whether that was everything. It is when the kubelet starts us, and
 * loading streams takes 4 ms of each start. A blocking read could be neither bounded nor aborted. So a pipe is opened once
 * more: whether reads block belongs to the open file description, and other processes share the given one.
 */
function readAvailable(chunks: Buffer[]): boolean {
  const stats = fstatSync(standardInput);
  if (stats.isFile()) return readToEnd(standardInput, chunks);
  const pipe = stats.isFIFO() ? openNonBlocking() : undefined;
  if (pipe === undefined) return false;
  try {
    return readToEnd(pipe, chunks);
  } finally {
    closeSync(pipe);
  }
}

/** `undefined`: not possible, for instance without /proc. */
function openNonBlocking(): number | undefined {
  try {
    return openSync(`/proc/self/fd/${standardInput}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function readToEnd(descriptor: number, chunks: Buffer[]): boolean {
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const lengthBytes = readSync(descriptor, chunk);
      if (lengthBytes === 0) return true;
      chunks.push(chunk.subarray(0, lengthBytes));
      if (exceedsLimit(chunks)) throw tooLarge();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error instanceof Failure ? error : unreadable('cannot be read');
  }
}

function readStream(chunks: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unreadable('did not end within 10 s')), maxWaitMs);
    process.stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (exceedsLimit(chunks)) reject(tooLarge());
    });
    process.stdin.on('error', () => reject(unreadable('cannot be read')));
    process.stdin.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function exceedsLimit(chunks: readonly Buffer[]): boolean {
  return chunks.reduce((sum, { length }) => sum + length, 0) > maxRequestBytes;
}

function tooLarge(): Failure {
  return unreadable('is larger than 1 MB');
}

function unreadable(reason: string): Failure {
  return new Failure('invalid-response', `the request cannot be read: standard input ${reason}`, {
    remedy: 'write one CredentialProviderRequest to it and close it',
  });
}
