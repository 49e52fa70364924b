import { dryRunWriter } from '../../lib/node/dry-run-writer.ts';
import type { Cluster } from './cluster.ts';

/** Reads as usual, and writes nothing. */
export function withoutWrites(cluster: Pick<Cluster, 'read'>): Cluster {
  const skip = (): Promise<'not-written'> => Promise.resolve('not-written');
  return { ...dryRunWriter(cluster), setCondition: skip, remove: skip, tell: skip };
}
