import { dryRunWriter } from '../../lib/node/dry-run-writer.ts';
import type { Cluster } from './cluster.ts';

/** Reads as usual, and writes nothing. */
export function dryRunCluster(cluster: Pick<Cluster, 'read'>): Cluster {
  const skip = (): Promise<'not-written'> => Promise.resolve('not-written');
  return { ...dryRunWriter(cluster), setCondition: skip, deleteNode: skip, recordEvent: skip };
}
