import type { NodeUid } from '../../clouds/index.ts';
import type { GoneWord, NodeRecord } from './record.ts';
import type { Report } from './report.ts';
import type { ScopeRecord } from './scope.ts';
import type { TaintChange } from './taints.ts';

export interface Decision {
  readonly record: NodeRecord;
  /** Present where there was a look-up: the scope as it is after this decision. */
  readonly scope?: ScopeRecord;
  readonly action: Action;
  /** To be told before the action; only when it is news. */
  readonly report?: Report;
  readonly reason: string;
  /** Every rule of a deletion, where the cloud said that the instance is gone. */
  readonly verdicts: readonly Verdict[];
}

export type Action =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly nextLookInMs: number }
  /** The delete has to carry the UID as a precondition. */
  | { readonly do: 'delete'; readonly uid: NodeUid; readonly word: GoneWord }
  | ({ readonly do: 'taint' } & TaintChange);

export interface Verdict {
  readonly rule: string;
  readonly requires: string;
  readonly holds: boolean;
  readonly stands: string;
}

/** The decision in lines, for people. */
export function explainDecision({ reason, verdicts }: Decision): readonly string[] {
  return [
    reason,
    ...verdicts.map(({ holds, requires, stands }) => `${holds ? 'yes' : 'no '}  ${requires} (${stands})`),
  ];
}
