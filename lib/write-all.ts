import { writeSync } from 'node:fs';

export const standardOutput = 1;
export const standardError = 2;

const waitMs = 5;
const sleepBuffer = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes the whole text before it returns, by file descriptor: `process.exit` would not wait for a stream. A pipe that
 * its reader made non-blocking can be full; then it waits a moment and tries again.
 */
export function writeAll(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error;
      Atomics.wait(sleepBuffer, 0, 0, waitMs);
    }
  }
}
