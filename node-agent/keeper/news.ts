import { failureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { FailedTurn } from './turn.ts';

/** Tells each trouble once, by an event on the Node and a line in the log, however often it is met until all is well. */
export interface News {
  trouble(node: Node, turn: FailedTurn): Promise<void>;
  allIsWell(node: Node): void;
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
        log.verbose(`event ${event.reason} was not written`, failureFields(error));
        return false;
      },
    );
  return {
    trouble: async (node, { reason, message, failure, trouble, of }) => {
      const line = { node: node.metadata.name, reason, ...failure };
      if (said.has(trouble)) log.verbose('Node cannot be synced yet', line);
      else log.standard('nodeFailing', line);
      said.add(trouble);
      // An API server that cannot be written to takes no event either.
      if (of === 'api-server' || told.has(trouble)) return;
      if (await tryToTell(node, { type: 'Warning', reason, message })) told.add(trouble);
    },
    allIsWell: (node) => {
      if (said.size > 0) log.standard('nodeRecovered', { node: node.metadata.name });
      said.clear();
      told.clear();
    },
    tell: async (node, event) => void (await tryToTell(node, event)),
  };
}
