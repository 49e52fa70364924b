import { brokerEnd, brokerLimits, brokerProtocol, previousBrokerProtocol } from '../../../schemas/broker.ts';
import type { BrokerOutcome } from '../../../schemas/broker.ts';

export interface Reply {
  readonly outcome: BrokerOutcome;
  /** One line of JSON, the lines for standard error, or why not; without a line end. */
  readonly text: string;
}

/** The first line of a reply, sent before the answer is known: somebody is there and works on it. */
export const signOfLife = `${brokerProtocol}\n`;

/** What follows the sign of life. The last line is what tells a whole answer from half of one. */
export function printReply(reply: Reply): Buffer {
  return print('', reply, signOfLife.length);
}

/** A whole reply in the previous protocol, which is also what the sender of an unknown one gets. */
export function printPreviousReply(reply: Reply): Buffer {
  return print(`${previousBrokerProtocol} `, reply, 0);
}

function print(start: string, { outcome, text }: Reply, sentBytes: number): Buffer {
  const bytes = Buffer.from(`${start}${outcome}\n${text}\n${brokerEnd}\n`);
  return sentBytes + bytes.length < brokerLimits.answerBytes ? bytes : print(start, tooLarge, sentBytes);
}

const tooLarge: Reply = { outcome: 'decline', text: 'the answer is larger than the front end can take' };
