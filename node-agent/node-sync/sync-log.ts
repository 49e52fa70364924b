import type { Log } from '../../lib/log/log.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { SyncResult } from './sync-node.ts';

export type SyncLog = (node: Node, cloud: string | undefined, result: SyncResult) => void;

/** Logs every write. Logs any other result once, until it changes. `EventReporter` logs failed syncs. */
export function createSyncLog(log: Log): SyncLog {
  let lastLogged = '';
  const logOnce = (text: string, write: () => void): void => {
    if (text !== lastLogged) write();
    lastLogged = text;
  };
  return ({ metadata: { name, uid } }, cloud, result) => {
    const nodeFields = { node: name, uid };
    if (result.kind === 'planned') {
      const { changes } = result;
      logOnce(`planned ${uid} ${changes.join('\n')}`, () => log.standard('nodePlanned', { ...nodeFields, changes }));
    }
    if (result.kind === 'left-alone') {
      logOnce(`left-alone ${uid} ${result.why}`, () =>
        log.standard('nodeLeftAlone', { ...nodeFields, reason: result.why }),
      );
    }
    if (result.kind === 'synced') {
      const { changes, isNew, node } = result;
      const instanceFields = { ...nodeFields, providerID: node.spec.providerID ?? '', cloud: cloud ?? '' };
      if (changes.length > 0) log.standard(isNew ? 'nodeInitialized' : 'nodeUpdated', { ...instanceFields, changes });
      logOnce(`in-sync ${uid}`, () => {
        if (changes.length === 0) log.standard('nodeInSync', instanceFields);
      });
    }
  };
}
