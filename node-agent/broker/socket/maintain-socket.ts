import { failureText } from '../../../lib/failure-text.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';
import type { Log } from '../../../lib/log/log.ts';
import type { BrokerRequestHandler } from './handle-connection.ts';
import { listen } from './listen.ts';
import type { SocketListener } from './listen.ts';
import { isListening, makeSocketDirectory } from './socket-directory.ts';

export interface BrokerSocketSettings {
  readonly socketPath: string;
  readonly log: Log;
  readonly handleRequest: BrokerRequestHandler;
}

export interface MaintainedSocket {
  /** Why front ends cannot reach the broker; `undefined`: they can. */
  problem(): string | undefined;
  /** Checks the socket and repairs what it can. Never rejects. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps the broker's socket open after an operator corrected the directory, the disk has space again or the socket was
 * removed. A problem is logged once, and its end too. The socket of another agent is left there as long as that agent
 * listens: during an update two agents run.
 */
export function maintainSocket({ socketPath, log, handleRequest }: BrokerSocketSettings): MaintainedSocket {
  let listener: SocketListener | undefined;
  let problem: string | undefined = 'the broker has not started to listen';
  let loggedProblem = '';
  let checking = Promise.resolve();

  async function repair(): Promise<void> {
    if (listener !== undefined) {
      await makeSocketDirectory(socketPath, process.getuid?.() ?? 0);
      if ((await listener.isInPlace()) || (await isListening(socketPath))) return;
      await listener.close();
      listener = undefined;
    }
    listener = await listen(socketPath, handleRequest);
  }

  async function check(): Promise<void> {
    try {
      await repair();
      if (loggedProblem !== '') log.info(`Broker: ${socketPath} is served again`);
      problem = undefined;
      loggedProblem = '';
    } catch (error) {
      problem = failureText(error);
      if (problem !== loggedProblem) log.error(`Broker: ${socketPath} is not served`, failureFields(error));
      loggedProblem = problem;
    }
  }

  return {
    problem: () => problem,
    check: () => {
      checking = checking.then(check);
      return checking;
    },
    close: async () => {
      await checking;
      await listener?.close();
    },
  };
}
