import type { NodeWriter, PatchResult } from './node-writer.ts';

/** Reads as usual, and writes nothing. */
export function dryRunWriter({ read }: Pick<NodeWriter, 'read'>): NodeWriter {
  const skip = (): Promise<PatchResult> => Promise.resolve('not-written');
  return { read, patch: skip, patchStatus: skip };
}
