import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brokerEnd, brokerProtocol } from '../../schemas/broker.ts';
import type { BrokerOutcome } from '../../schemas/broker.ts';

/** What a broker answers to a front end. */
export type BrokerReply =
  | { readonly kind: 'reply'; readonly outcome: BrokerOutcome; readonly text: string }
  /** A front end starts the full program then. */
  | { readonly kind: 'none'; readonly why: string };

/** As long as a front end waits for a whole answer. */
const longestWaitMs = 20_000;

/** Asks as a front end does that was started as `baseName`. Never rejects. */
export async function askBroker(socketPath: string, baseName: string, request: string): Promise<BrokerReply> {
  const socket = connect(socketPath);
  socket.setTimeout(longestWaitMs, () => socket.destroy(new Error('it did not answer within 20 s')));
  try {
    socket.end(`${brokerProtocol} ${baseName}\n${request}`);
    return parseReply((await buffer(socket)).toString('utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return { kind: 'none', why: code === undefined ? (error as Error).message : `nothing listens there (${code})` };
  }
}

function parseReply(reply: string): BrokerReply {
  const [protocol, outcome, ...rest] = reply.split('\n');
  const isWhole = reply.endsWith(`\n${brokerEnd}\n`) && protocol === brokerProtocol;
  const known = (['answer', 'failure', 'decline'] as const).find((each) => each === outcome);
  if (!isWhole || known === undefined) return { kind: 'none', why: 'it sent no whole answer' };
  return { kind: 'reply', outcome: known, text: rest.slice(0, -2).join('\n') };
}
