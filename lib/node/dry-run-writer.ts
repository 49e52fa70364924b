import type { NodeWriter, Patched } from './node-writer.ts';

/** Reads as usual, and writes nothing. */
export function dryRunWriter({ read }: Pick<NodeWriter, 'read'>): NodeWriter {
  const skip = (): Promise<Patched> => Promise.resolve('not-written');
  return { read, patch: skip, patchStatus: skip };
}
