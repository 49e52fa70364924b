import type { IncomingMessage } from 'node:http';
import { NetworkError } from './network-error.ts';

/** After this many parts they are joined: a million parts of one byte must not need more memory than one part. */
const maxParts = 1_000;

/** Resolves to the whole body, or rejects with a `NetworkError`. */
export function readBody(response: IncomingMessage, largestBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const blocks: Buffer[] = [];
    let parts: Buffer[] = [];
    let lengthBytes = 0;
    const add = (part: Buffer): void => {
      lengthBytes += part.length;
      if (lengthBytes > largestBytes) {
        reject(new NetworkError('too-large', `more than ${largestBytes / 1e6} MB`));
        response.destroy();
        return;
      }
      parts.push(part);
      if (parts.length < maxParts) return;
      blocks.push(Buffer.concat(parts));
      parts = [];
    };
    const rejectAsCutOff = (error: unknown): void => reject(new NetworkError('cut-off', '', error));
    response
      .on('data', add)
      .on('error', rejectAsCutOff)
      .on('end', () => (response.complete ? resolve(Buffer.concat([...blocks, ...parts])) : rejectAsCutOff(undefined)));
  });
}
