import { brokerEnd, brokerLimits, brokerProtocol } from '../../../schemas/broker.ts';
import type { BrokerOutcome } from '../../../schemas/broker.ts';

export interface Reply {
  readonly outcome: BrokerOutcome;
  /** One line of JSON, the lines for standard error, or why not; without a line end. */
  readonly text: string;
}

/** The last line is what tells a whole answer from half of one. */
export function printReply(reply: Reply): Buffer {
  const bytes = Buffer.from(`${brokerProtocol} ${reply.outcome}\n${reply.text}\n${brokerEnd}\n`);
  return bytes.length < brokerLimits.answerBytes ? bytes : printReply(tooLarge);
}

const tooLarge: Reply = { outcome: 'decline', text: 'the answer is larger than the front end can take' };
