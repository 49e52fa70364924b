import { failureText } from '../../../lib/failure-text.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';
import type { Log } from '../../../lib/log/log.ts';
import type { BrokerRequestHandler } from './handle-connection.ts';
import { hostSocketOf, linkHostSocket, unlinkHostSocket } from './host-socket.ts';
import { listen } from './listen.ts';
import type { SocketListener } from './listen.ts';
import { isListening, makeSocketDirectory } from './socket-directory.ts';

/** Where the broker runs, which decides who serves front ends when both run: the one on the host. */
export type BrokerPlace =
  | { readonly kind: 'agent' }
  /** `descriptor`: of the socket that systemd opened. Absent: the broker opens it itself. */
  | { readonly kind: 'host'; readonly descriptor?: number };

export interface BrokerSocketSettings {
  /** That front ends connect to. */
  readonly socketPath: string;
  readonly place: BrokerPlace;
  readonly log: Log;
  readonly handleRequest: BrokerRequestHandler;
}

export interface MaintainedSocket {
  /** Why front ends cannot reach the broker; `undefined`: they can. */
  problem(): string | undefined;
  /** Whether front ends reach the broker of the host instead of this one, that of an agent. */
  isLeftToHost(): boolean;
  /** Checks the socket and repairs what it can. Never rejects. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps the broker's socket open after an operator corrected the directory, the disk has space again or the socket was
 * removed. A problem is logged once, and its end too. The socket of another agent is left there as long as that agent
 * listens: during an update two agents run. An agent leaves its path to the broker of the host while that one listens.
 */
export function maintainSocket({ socketPath, place, log, handleRequest }: BrokerSocketSettings): MaintainedSocket {
  const own = createOwnSocket(socketPath, place, handleRequest);
  let isLeftToHost = false;
  let problem: string | undefined = 'the broker has not started to listen';
  let loggedProblem = '';
  let checking = Promise.resolve();

  async function repair(): Promise<void> {
    await makeSocketDirectory(socketPath, process.getuid?.() ?? 0);
    if (place.kind === 'host') {
      await own.ensure();
      await linkHostSocket(socketPath);
      return;
    }
    const wasLeftToHost = isLeftToHost;
    isLeftToHost = await linkHostSocket(socketPath);
    // A listener stays open for the front ends that have connected to it.
    if (!isLeftToHost) await own.ensure();
    if (isLeftToHost === wasLeftToHost) return;
    log.info(`Broker: ${socketPath} is ${isLeftToHost ? 'served by the host' : 'no longer served by the host'}`);
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
    isLeftToHost: () => isLeftToHost,
    check: () => {
      checking = checking.then(check);
      return checking;
    },
    close: async () => {
      await checking;
      await own.close();
    },
  };
}

interface OwnSocket {
  /** Listens, unless it does already or another one has taken its place. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

function createOwnSocket(socketPath: string, place: BrokerPlace, handleRequest: BrokerRequestHandler): OwnSocket {
  const path = place.kind === 'host' ? hostSocketOf(socketPath) : socketPath;
  const given = place.kind === 'host' ? place.descriptor : undefined;
  let unused = given;
  let listener: SocketListener | undefined;
  return {
    ensure: async () => {
      if (listener !== undefined) {
        if ((await listener.isInPlace()) || (await isListening(path))) return;
        await listener.close();
        listener = undefined;
      }
      const descriptor = unused;
      // Once: if its path is gone, the broker opens a new socket.
      unused = undefined;
      listener = await listen(path, handleRequest, descriptor);
    },
    close: async () => {
      // systemd keeps its socket, so that requests wait there for the next start.
      if (place.kind === 'host' && given === undefined) await unlinkHostSocket(socketPath);
      await listener?.close();
    },
  };
}
