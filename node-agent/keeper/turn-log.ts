import type { Log } from '../../lib/log/log.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { Turn } from './turn.ts';

export type TurnLog = (node: Node, cloud: string | undefined, turn: Turn) => void;

/** Says every write, and whatever else came of a turn once until it is something else. Failed turns are told by `News`. */
export function createTurnLog(log: Log): TurnLog {
  let said = '';
  const once = (text: string, say: () => void): void => {
    if (text !== said) say();
    said = text;
  };
  return ({ metadata: { name, uid } }, cloud, turn) => {
    const about = { node: name, uid };
    if (turn.kind === 'planned') {
      const { changes } = turn;
      once(`planned ${uid} ${changes.join('\n')}`, () => log.standard('nodePlanned', { ...about, changes }));
    }
    if (turn.kind === 'left-alone') {
      once(`left-alone ${uid} ${turn.why}`, () => log.standard('nodeLeftAlone', { ...about, reason: turn.why }));
    }
    if (turn.kind === 'true') {
      const { changes, isNew, node } = turn;
      const whose = { ...about, providerID: node.spec.providerID ?? '', cloud: cloud ?? '' };
      if (changes.length > 0) log.standard(isNew ? 'nodeInitialized' : 'nodeUpdated', { ...whose, changes });
      once(`in-sync ${uid}`, () => {
        if (changes.length === 0) log.standard('nodeInSync', whose);
      });
    }
  };
}
