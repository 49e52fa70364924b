import { brokerEnd, brokerLimits, brokerProtocol, previousBrokerProtocol } from '../../../schemas/broker.ts';
import type { BrokerOutcome } from '../../../schemas/broker.ts';

export interface BrokerRequest {
  readonly baseName: string;
  /** The kubelet's own bytes. */
  readonly request: string;
}

export interface BrokerResponse {
  readonly outcome: BrokerOutcome;
  /** One line of JSON, the lines for standard error, or the reason for declining; without a line end. */
  readonly text: string;
}

const protocols: readonly string[] = [brokerProtocol, previousBrokerProtocol];

/** `undefined`: another version of the protocol, or not the protocol. */
export function parseBrokerRequest(text: string): BrokerRequest | undefined {
  const lineEnd = text.indexOf('\n');
  const [protocol = '', baseName = '', ...rest] = text.slice(0, Math.max(0, lineEnd)).split(' ');
  if (!protocols.includes(protocol) || baseName === '' || rest.length > 0) return undefined;
  return { baseName, request: text.slice(lineEnd + 1) };
}

const protocolPrefix = Buffer.from(`${brokerProtocol} `);

/** Does the sender wait for the acknowledgement before the response? */
export function expectsAcknowledgement(bytes: Buffer): boolean {
  return bytes.subarray(0, protocolPrefix.length).equals(protocolPrefix);
}

/** The first line, sent before the response is known: a broker has the request and works on it. */
export const acknowledgement = `${brokerProtocol}\n`;

/** What follows the acknowledgement. The last line distinguishes a complete response from a truncated one. */
export function printResponse(response: BrokerResponse): Buffer {
  return print('', response, acknowledgement.length);
}

/** A complete response in the previous protocol, also for senders of an unknown one. */
export function printPreviousResponse(response: BrokerResponse): Buffer {
  return print(`${previousBrokerProtocol} `, response, 0);
}

function print(start: string, { outcome, text }: BrokerResponse, sentBytes: number): Buffer {
  const bytes = Buffer.from(`${start}${outcome}\n${text}\n${brokerEnd}\n`);
  return sentBytes + bytes.length < brokerLimits.answerBytes ? bytes : print(start, tooLarge, sentBytes);
}

const tooLarge: BrokerResponse = { outcome: 'decline', text: 'the answer is larger than the front end can take' };
