import { brokerEnd, brokerLimits, brokerProtocol, previousBrokerProtocol } from '../../../schemas/broker.ts';
import type { BrokerOutcome } from '../../../schemas/broker.ts';

export interface BrokerResponse {
  readonly outcome: BrokerOutcome;
  /** One line of JSON, the lines for standard error, or why not; without a line end. */
  readonly text: string;
}

/** The first line of a reply, sent before the answer is known: somebody is there and works on it. */
export const acknowledgement = `${brokerProtocol}\n`;

/** What follows the sign of life. The last line is what tells a whole answer from half of one. */
export function printResponse(response: BrokerResponse): Buffer {
  return print('', response, acknowledgement.length);
}

/** A whole reply in the previous protocol, which is also what the sender of an unknown one gets. */
export function printPreviousResponse(response: BrokerResponse): Buffer {
  return print(`${previousBrokerProtocol} `, response, 0);
}

function print(start: string, { outcome, text }: BrokerResponse, sentBytes: number): Buffer {
  const bytes = Buffer.from(`${start}${outcome}\n${text}\n${brokerEnd}\n`);
  return sentBytes + bytes.length < brokerLimits.answerBytes ? bytes : print(start, tooLarge, sentBytes);
}

const tooLarge: BrokerResponse = { outcome: 'decline', text: 'the answer is larger than the front end can take' };
