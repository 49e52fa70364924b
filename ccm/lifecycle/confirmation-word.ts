import { createHash } from 'node:crypto';
import type { NodeUid } from '../../clouds/index.ts';

const wordLength = 10;

/** What a word stands for: exactly these Nodes, missing in exactly this scope, for exactly this time. */
export interface Confirmable {
  readonly key: string;
  readonly confirmations: number;
  readonly nodes: readonly NodeUid[];
}

/** When another node goes missing or one returns it is another word, and once used it is spent. */
export function confirmationWord({ key, confirmations, nodes }: Confirmable): string {
  const said = JSON.stringify([key, confirmations, ...nodes.toSorted()]);
  return createHash('sha256').update(said).digest('hex').slice(0, wordLength);
}
