import { bodyReader } from './answer-body.ts';
import type { BodyReader } from './answer-body.ts';
import { notHttp, parseHead, splitHead } from './answer-head.ts';
import type { AnswerHead } from './answer-head.ts';
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
const switchingProtocols = 101;
const nothing: Buffer = Buffer.alloc(0);

export function createAnswerReader(ownLimitBytes: number | undefined): AnswerReader {
  const parts: Buffer[] = [];
  let lengthBytes = 0;
  let unread = nothing;
  let reading: { readonly head: AnswerHead; readonly body: BodyReader } | undefined;

  function read(bytes: Buffer): Answer | undefined {
    const rest = reading === undefined ? readHead(bytes) : bytes;
    if (reading === undefined || rest === undefined) return undefined;
    const following = reading.body.read(rest);
    // Nobody asked for what follows.
    return following && answer(reading.head, following.length === 0);
  }

  /** What is left for the body. Heads that only say that another one comes are passed over. */
  function readHead(bytes: Buffer): Buffer | undefined {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    for (let split = splitHead(unread); split !== undefined; split = splitHead(unread)) {
      const head = parseHead(split.head);
      unread = split.rest;
      if (head.status === switchingProtocols) throw notHttp('another protocol');
      if (head.status >= 200) {
        reading = { head, body: bodyReader(head.body, add) };
        return unread;
      }
    }
    return undefined;
  }

  function add(part: Buffer): void {
    lengthBytes += part.length;
    if (lengthBytes > (ownLimitBytes ?? usualBodyBytes)) throw tooLarge(ownLimitBytes);
    if (part.length > 0) parts.push(part);
  }

  function answer({ status, headers, keepsConnection }: AnswerHead, isAlone: boolean): Answer {
    return { response: { status, headers, body: Buffer.concat(parts) }, keepsConnection: keepsConnection && isAlone };
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
