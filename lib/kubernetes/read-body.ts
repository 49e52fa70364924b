import type { IncomingMessage } from 'node:http';
import { NetworkError } from '../http/network-error.ts';

/** The whole body, or a `NetworkError`: half of one is none. */
export async function readBody(incoming: IncomingMessage, largestBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let lengthBytes = 0;
  try {
    for await (const part of incoming as AsyncIterable<Buffer>) {
      lengthBytes += part.length;
      if (lengthBytes > largestBytes) throw new NetworkError('too-large', '');
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof NetworkError ? error : new NetworkError('cut-off', '', error);
  }
  return Buffer.concat(parts, lengthBytes).toString('utf8');
}
