import type { Socket } from 'node:net';
import { brokerLimits } from '../../../schemas/broker.ts';
import { expectsSignOfLife } from './parse-question.ts';
import { printPreviousReply, printReply, signOfLife } from './print-reply.ts';
import type { Reply } from './print-reply.ts';

/** To all that came until the other side had no more to say. Never rejects. */
export type Answer = (text: string) => Promise<Reply>;

/** Of all requests that are read or answered at this moment. */
export interface HeldBytes {
  count: number;
}

const headerBytes = 300;
/** Of 1,024 connections each may send 128 KB, and all of them together this much. */
const heldBytesMax = 16_000_000;
/** The front end has the kubelet's bytes at hand; who takes longer is none. */
const longestRequestMs = 5_000;
/** Longer than any answer takes, and than the front end waits. */
const longestReplyMs = 60_000;

/** One request, one reply. */
export function converse(socket: Socket, answer: Answer, held: HeldBytes): void {
  const parts: Buffer[] = [];
  let lengthBytes = 0;
  let print = printPreviousReply;
  // It went away; there is nobody to tell.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(longestRequestMs, () => socket.destroy());
  socket.once('close', () => {
    held.count -= lengthBytes;
  });
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    lengthBytes += part.length;
    held.count += part.length;
    if (print === printPreviousReply && expectsSignOfLife(startOf(parts))) {
      print = printReply;
      socket.write(signOfLife);
    }
    const isTooLarge = lengthBytes > brokerLimits.requestBytes + headerBytes;
    if (isTooLarge || held.count > heldBytesMax) decline(isTooLarge ? tooLarge : tooMany);
  });
  socket.once('end', () => {
    socket.setTimeout(longestReplyMs);
    const text = Buffer.concat(parts).toString('utf8');
    parts.length = 0;
    answer(text).then(
      (reply) => void socket.end(print(reply)),
      () => socket.destroy(),
    );
  });

  function decline(reply: Reply): void {
    parts.length = 0;
    socket.pause();
    // The rest is not waited for, nor is the other side to wait until it is taken.
    socket.end(print(reply), () => socket.destroy());
  }
}

const tooLarge: Reply = { outcome: 'decline', text: 'the request is larger than the broker takes' };
const tooMany: Reply = { outcome: 'decline', text: 'too many requests at once' };

function startOf(parts: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = parts;
  return parts.length === 1 ? first : Buffer.concat(parts);
}
