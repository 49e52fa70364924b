import { notHttp, parseHead, splitHead } from './answer-head.ts';
import type { AnswerHead } from './answer-head.ts';

export interface WholeHead {
  readonly head: AnswerHead;
  /** What came behind it. */
  readonly rest: Buffer;
}

/** Takes the bytes of an answer as they come, until its head is whole. */
export type HeadReader = (bytes: Buffer) => WholeHead | undefined;

const switchingProtocols = 101;
const nothing: Buffer = Buffer.alloc(0);

/** Heads that only say that another one comes are passed over. */
export function createHeadReader(): HeadReader {
  let unread = nothing;
  return (bytes) => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    for (let split = splitHead(unread); split !== undefined; split = splitHead(unread)) {
      const head = parseHead(split.head);
      unread = split.rest;
      if (head.status >= 200) return { head, rest: unread };
      if (head.status === switchingProtocols) throw notHttp('another protocol');
      if (!head.keepsConnection) throw notHttp('the end before the answer');
    }
    return undefined;
  };
}
