import { failureText } from '../../lib/failure-text.ts';
import type { Log } from '../../lib/log/log.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { FailedTurn } from './turn.ts';

/** Tells each trouble once, by an event on the Node and a line in the log, however often it is met until all is well. */
export interface News {
  trouble(node: Node, turn: FailedTurn): Promise<void>;
  allIsWell(): void;
  tell(node: Node, event: NodeEvent): Promise<void>;
}

export interface NewsParts {
  tell(node: Node, event: NodeEvent): Promise<void>;
  readonly log: Log;
}

export function createNews({ tell, log }: NewsParts): News {
  const told = new Set<string>();
  const said = new Set<string>();
  const tryToTell = async (node: Node, event: NodeEvent): Promise<boolean> =>
    tell(node, event).then(
      () => true,
      (error: unknown) => {
        log.verbose(`event ${event.reason} was not written: ${failureText(error)}`);
        return false;
      },
    );
  return {
    trouble: async (node, { reason, message, trouble, of }) => {
      if (said.has(trouble)) log.verbose(`${reason}: ${message}`);
      else log.info(`${reason}: ${message}`);
      said.add(trouble);
      // An API server that cannot be written to takes no event either.
      if (of === 'api-server' || told.has(trouble)) return;
      if (await tryToTell(node, { type: 'Warning', reason, message })) told.add(trouble);
    },
    allIsWell: () => {
      if (said.size > 0) log.info('all is well again');
      said.clear();
      told.clear();
    },
    tell: async (node, event) => void (await tryToTell(node, event)),
  };
}
