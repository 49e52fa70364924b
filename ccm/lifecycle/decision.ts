import type { NodeUid } from '../../clouds/index.ts';
import type { NodeRecord } from './record.ts';
import type { GoneStatus } from './result-kinds.ts';
import type { DeletionReport } from './report.ts';
import type { ScopeRecord } from './scope.ts';
import type { TaintChange } from './taints.ts';

export interface LifecycleDecision {
  readonly record: NodeRecord;
  /** Present where there was a look-up: the scope as it is after this decision. */
  readonly scope?: ScopeRecord;
  readonly action: LifecycleAction;
  /** To be written before the action; present only if it differs from the last report. */
  readonly report?: DeletionReport;
  readonly reason: string;
  /** Every rule of a deletion, if the cloud reported the instance as gone. */
  readonly ruleResults: readonly RuleResult[];
}

export type LifecycleAction =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly nextLookupInMs: number }
  /** The delete has to carry the UID as a precondition. */
  | { readonly do: 'delete'; readonly uid: NodeUid; readonly status: GoneStatus }
  | ({ readonly do: 'taint' } & TaintChange);

export interface RuleResult {
  readonly rule: string;
  readonly requires: string;
  readonly holds: boolean;
  readonly actual: string;
}

/** The decision in lines, for people. */
export function explainDecision({ reason, ruleResults }: LifecycleDecision): readonly string[] {
  return [
    reason,
    ...ruleResults.map(({ holds, requires, actual }) => `${holds ? 'yes' : 'no '}  ${requires} (${actual})`),
  ];
}
