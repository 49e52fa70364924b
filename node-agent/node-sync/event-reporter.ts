import { failureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { FailedSync } from './sync-node.ts';

/** Reports each problem once, by an event on the Node and a line in the log, until a sync succeeds again. */
export interface EventReporter {
  syncFailed(node: Node, result: FailedSync): Promise<void>;
  recovered(node: Node): void;
  report(node: Node, event: NodeEvent): Promise<void>;
}

export interface EventReporterDeps {
  writeEvent(node: Node, event: NodeEvent): Promise<void>;
  readonly log: Log;
}

export function createEventReporter({ writeEvent, log }: EventReporterDeps): EventReporter {
  const reported = new Set<string>();
  const logged = new Set<string>();
  const tryToWrite = async (node: Node, event: NodeEvent): Promise<boolean> =>
    writeEvent(node, event).then(
      () => true,
      (error: unknown) => {
        log.debug(`event ${event.reason} was not written`, failureFields(error));
        return false;
      },
    );
  return {
    syncFailed: async (node, { reason, message, failure, problemKey, source }) => {
      const line = { node: node.metadata.name, reason, ...failure };
      if (logged.has(problemKey)) log.debug('Node cannot be synced yet', line);
      else log.standard('nodeFailing', line);
      logged.add(problemKey);
      // When the API server refuses or does not respond, an event cannot be written either.
      if (source === 'api-server' || reported.has(problemKey)) return;
      if (await tryToWrite(node, { type: 'Warning', reason, message })) reported.add(problemKey);
    },
    recovered: (node) => {
      if (logged.size > 0) log.standard('nodeRecovered', { node: node.metadata.name });
      logged.clear();
      reported.clear();
    },
    report: async (node, event) => void (await tryToWrite(node, event)),
  };
}
