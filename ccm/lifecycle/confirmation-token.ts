import { createHash } from 'node:crypto';
import type { NodeUid } from '../../clouds/index.ts';

const tokenLength = 10;

/** What a token confirms: exactly these Nodes, missing in exactly this scope, at this one stop of deletions. */
export interface ConfirmationSubject {
  readonly key: string;
  readonly stopCount: number;
  readonly nodes: readonly NodeUid[];
}

/** It changes when another node goes missing, when one returns, and when deletions are stopped again. */
export function confirmationToken({ key, stopCount, nodes }: ConfirmationSubject): string {
  const content = JSON.stringify([key, stopCount, ...nodes.toSorted()]);
  return createHash('sha256').update(content).digest('hex').slice(0, tokenLength);
}
