import { createAnswerReader } from '../../../lib/http/answer-reader.ts';
import type { Answer } from '../../../lib/http/answer-reader.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';
import type { Refused, Taken } from './node-answer.ts';

/** How many of the bytes were read when the answer was whole, if it came to that. */
export interface Read {
  readonly outcome: Taken | Refused;
  readonly readBytes: number;
}

/** What our reader makes of these bytes, after which the connection ends in order. */
export function readOurs(parts: readonly Buffer[]): Read {
  const reader = createAnswerReader(undefined);
  const lengthBytes = parts.reduce((sum, part) => sum + part.length, 0);
  let readBytes = 0;
  try {
    for (const part of parts) {
      readBytes += part.length;
      const answer = reader.read(part);
      // More than one answer is never good for another request, whether it is here already or still comes.
      if (answer !== undefined) return { outcome: taken(answer, readBytes === lengthBytes), readBytes };
    }
    return { outcome: taken(reader.end(undefined), true), readBytes };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    return { outcome: { refused: error.reason }, readBytes };
  }
}

function taken({ response, keepsConnection }: Answer, isAlone: boolean): Taken {
  const body = Buffer.from(response.body).toString('latin1');
  return { status: response.status, headers: response.headers, body, keepsConnection: keepsConnection && isAlone };
}

export function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Each byte comes alone. */
export function byteByByte(bytes: Buffer): readonly Buffer[] {
  return Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
}
