import type { Socket } from 'node:net';
import { brokerLimits } from '../../../schemas/broker.ts';
import { acknowledgement, expectsAcknowledgement, printPreviousResponse, printResponse } from './wire-format.ts';
import type { BrokerResponse } from './wire-format.ts';

/** Gets everything that was sent before the front end closed its side. Never rejects. */
export type BrokerRequestHandler = (text: string) => Promise<BrokerResponse>;

/** The size of all requests that are being read or answered. */
export interface BufferedBytes {
  count: number;
}

const headerBytes = 300;
/** Each of 1,024 connections may send 128 KB, and all of them together this much. */
const bufferedBytesMax = 16_000_000;
/** A front end has the kubelet's bytes already, so it needs much less. */
const longestRequestMs = 5_000;
/** Longer than any response takes, and than the front end waits. */
const longestResponseMs = 60_000;

/** One request, one response. */
export function handleConnection(socket: Socket, handleRequest: BrokerRequestHandler, buffered: BufferedBytes): void {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  let print = printPreviousResponse;
  // The front end has gone; it has started the full program.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(longestRequestMs, () => socket.destroy());
  socket.once('close', () => {
    buffered.count -= lengthBytes;
  });
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    lengthBytes += chunk.length;
    buffered.count += chunk.length;
    if (print === printPreviousResponse && expectsAcknowledgement(firstBytesOf(chunks))) {
      print = printResponse;
      socket.write(acknowledgement);
    }
    const isTooLarge = lengthBytes > brokerLimits.requestBytes + headerBytes;
    if (isTooLarge || buffered.count > bufferedBytesMax) decline(isTooLarge ? tooLarge : tooMany);
  });
  socket.once('end', () => {
    socket.setTimeout(longestResponseMs);
    const text = Buffer.concat(chunks).toString('utf8');
    chunks.length = 0;
    handleRequest(text).then(
      (response) => void socket.end(print(response)),
      () => socket.destroy(),
    );
  });

  function decline(response: BrokerResponse): void {
    chunks.length = 0;
    socket.pause();
    // The rest of the request is not read.
    socket.end(print(response), () => socket.destroy());
  }
}

const tooLarge: BrokerResponse = { outcome: 'decline', text: 'the request is larger than the broker takes' };
const tooMany: BrokerResponse = { outcome: 'decline', text: 'too many requests at once' };

function firstBytesOf(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length === 1 ? first : Buffer.concat(chunks);
}
