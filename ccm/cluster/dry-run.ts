import type { Log } from '../../lib/log/log.ts';
import type { Cluster } from './cluster.ts';

/** Reads as usual, and says what it would write. */
export function withoutWrites({ read }: Pick<Cluster, 'read'>, log: Log): Cluster {
  const would = (what: string): Promise<void> => {
    log.info(`dry run: would ${what}`);
    return Promise.resolve();
  };
  return {
    read,
    patch: async (name, patch) => {
      await would(`patch node ${name}: ${JSON.stringify(patch)}`);
      return (await read(name)) ?? 'conflict';
    },
    patchStatus: async (name, patch) => {
      await would(`patch the status of node ${name}: ${JSON.stringify(patch)}`);
      return (await read(name)) ?? 'conflict';
    },
    setCondition: (node, { reason, message }) =>
      would(`set the condition of ${node.metadata.name}: ${reason}, ${message}`),
    remove: async ({ metadata }) => {
      await would(`delete node ${metadata.name} (uid ${metadata.uid})`);
      return 'not-this-one';
    },
    tell: (node, { reason, message }) => would(`write an event on ${node.metadata.name}: ${reason}, ${message}`),
  };
}
