import { createHash } from 'node:crypto';
import type { NodeUid } from '../../clouds/index.ts';

const wordLength = 10;

/** What a word stands for: exactly these Nodes, missing in exactly this scope, for this one stop of deletions. */
export interface Confirmable {
  readonly key: string;
  readonly stops: number;
  readonly nodes: readonly NodeUid[];
}

/** When another node goes missing or one returns it is another word, and so it is when deletions are stopped again. */
export function confirmationWord({ key, stops, nodes }: Confirmable): string {
  const said = JSON.stringify([key, stops, ...nodes.toSorted()]);
  return createHash('sha256').update(said).digest('hex').slice(0, wordLength);
}
