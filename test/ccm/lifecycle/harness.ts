import type { LookupResult } from '../../../clouds/cloud.ts';
import type { Canary } from '../../../ccm/lifecycle/canary.ts';
import type { LifecycleDecision } from '../../../ccm/lifecycle/decision.ts';
import type { NodeState } from '../../../ccm/lifecycle/observation.ts';
import { observe } from '../../../ccm/lifecycle/observe.ts';
import type { NodeRecord } from '../../../ccm/lifecycle/record.ts';
import { createScopeRecord, observeScope } from '../../../ccm/lifecycle/scope.ts';
import type { ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { Failure } from '../../../lib/failure.ts';

export const notFound: LookupResult = { status: 'not-found', evidence: 'InvalidInstanceID.NotFound' };
export const terminated: LookupResult = { status: 'terminated', evidence: 'terminated' };
export const unknown: LookupResult = {
  status: 'unknown',
  failure: new Failure('throttled', 'the cloud asked to wait', { remedy: 'wait' }),
};
export const ambiguous: LookupResult = { status: 'ambiguous', candidates: ['i-1', 'i-2'] };
const instance = { providerId: 'cloud:///i-1', addresses: [], labels: {} };
export const running: LookupResult = { status: 'running', instance, by: 'id' };
export const stopped: LookupResult = { status: 'stopped', instance, by: 'id' };

export const goodCanary: Canary = { asked: 5, found: 5 };
export const badCanary: Canary = { asked: 5, found: 0 };

const node: NodeState = {
  uid: 'uid-1',
  ownership: 'ours',
  providerId: 'cloud:///i-1',
  uninitialized: false,
  ready: false,
  beingDeleted: false,
  ageMs: 3_600_000,
  taints: new Set(),
};

interface ObservationOverrides extends Partial<NodeState> {
  readonly atMs: number;
  /** Absent: only the Node was seen. */
  readonly result?: LookupResult;
  readonly canary?: Canary;
}

export interface LifecycleHarness {
  observe(seen: ObservationOverrides): LifecycleDecision;
}

/** One Node of a scope of ten, as one observation after the other finds it; the questions take no time. */
export function createHarness(given: Partial<LifecycleSettings> = {}): LifecycleHarness {
  const settings = { ...defaultSettings, ...given };
  let record: NodeRecord | undefined;
  let scope: ScopeRecord = createScopeRecord('aws/one', 0);
  return {
    observe: ({ atMs, result, canary, ...differences }) => {
      const state = { ...node, ...differences };
      if (result !== undefined) {
        const known = new Set([state.uid, ...Array.from({ length: 9 }, (_, index) => `other-${index}`)]);
        const results = new Map([[state.uid, result]]);
        const lookup = { known, results, canary: canary ?? goodCanary, confirmed: new Map<string, string>() };
        scope = observeScope(scope, lookup, settings, atMs);
      }
      const observed = result && { lookup: { result, canary: canary ?? goodCanary, askedAtMs: atMs, scope } };
      const decision = observe(record, { ...state, ...observed }, settings, atMs);
      record = decision.record;
      scope = decision.scope ?? scope;
      return decision;
    },
  };
}
