import type { ChildProcess } from 'node:child_process';

/** Returns a function that gives all that the process has printed so far. */
export function collectOutput({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>): () => string {
  let text = '';
  const append = (piece: string): void => {
    text += piece;
  };
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', append);
  return () => text;
}
