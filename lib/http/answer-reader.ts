import { bodyReader } from './answer-body.ts';
import type { BodyReader } from './answer-body.ts';
import type { AnswerHead } from './answer-head.ts';
import { createHeadReader } from './head-reader.ts';
import type { HttpResponse } from './http.ts';
import { NetworkError } from './network-error.ts';

/** One answer, read from its bytes as they come. Every method throws a `NetworkError` for what cannot be an answer. */
export interface AnswerReader {
  /** The answer, once it is whole. */
  read(bytes: Buffer): Answer | undefined;
  /** Nothing more comes, for this reason if there is one. */
  end(reason: NetworkError | undefined): Answer;
}

export interface Answer {
  readonly response: HttpResponse;
  /** May the connection carry another request? */
  readonly keepsConnection: boolean;
}

/** Hardly anybody we ask has more to say; whoever sends more is somebody else. */
const usualBodyBytes = 1_000_000;
const nothing: Buffer = Buffer.alloc(0);

export function createAnswerReader(ownLimitBytes: number | undefined): AnswerReader {
  const readHead = createHeadReader();
  let room = nothing;
  let lengthBytes = 0;
  let reading: { readonly head: AnswerHead; readonly body: BodyReader } | undefined;

  function read(bytes: Buffer): Answer | undefined {
    const rest = reading === undefined ? begin(bytes) : bytes;
    if (reading === undefined || rest === undefined) return undefined;
    const following = reading.body.read(rest);
    // Nobody asked for what follows.
    return following && answer(reading.head, following.length === 0);
  }

  /** What is left for the body. */
  function begin(bytes: Buffer): Buffer | undefined {
    const whole = readHead(bytes);
    if (whole === undefined) return undefined;
    reading = { head: whole.head, body: bodyReader(whole.head.body, add) };
    return whole.rest;
  }

  /** A million parts of one byte must not cost more than one part of a million. */
  function add(part: Buffer): void {
    const neededBytes = lengthBytes + part.length;
    if (neededBytes > (ownLimitBytes ?? usualBodyBytes)) throw tooLarge(ownLimitBytes);
    if (neededBytes > room.length) room = Buffer.concat([room], Math.max(neededBytes, 2 * room.length));
    room.set(part, lengthBytes);
    lengthBytes = neededBytes;
  }

  function answer({ status, headers, keepsConnection }: AnswerHead, isAlone: boolean): Answer {
    const body = room.subarray(0, lengthBytes);
    return { response: { status, headers, body }, keepsConnection: keepsConnection && isAlone };
  }

  function end(reason: NetworkError | undefined): Answer {
    if (reading === undefined) throw reason ?? new NetworkError('reset', '');
    if (reason === undefined && reading.body.endsWithConnection) return answer(reading.head, false);
    // Once a head is here, a lost connection means half an answer.
    if (reason === undefined || reason.reason === 'reset') {
      throw new NetworkError('cut-off', reason?.message ?? '', reason);
    }
    throw reason;
  }

  return { read, end };
}

function tooLarge(ownLimitBytes: number | undefined): NetworkError {
  return new NetworkError(
    'too-large',
    ownLimitBytes === undefined ? '' : `the limit is ${ownLimitBytes / 1e6} MB here`,
  );
}
