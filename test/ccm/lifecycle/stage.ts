import type { Finding } from '../../../clouds/index.ts';
import type { Canary } from '../../../ccm/lifecycle/canary.ts';
import type { Decision } from '../../../ccm/lifecycle/decision.ts';
import type { NodeState } from '../../../ccm/lifecycle/observation.ts';
import { observe } from '../../../ccm/lifecycle/observe.ts';
import type { NodeRecord } from '../../../ccm/lifecycle/record.ts';
import { beginScope, observeScope } from '../../../ccm/lifecycle/scope.ts';
import type { ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { Failure } from '../../../lib/failure.ts';

export const notFound: Finding = { is: 'gone', word: 'not-found', quote: 'InvalidInstanceID.NotFound' };
export const terminated: Finding = { is: 'gone', word: 'terminated', quote: 'terminated' };
export const unknown: Finding = {
  is: 'unknown',
  failure: new Failure('throttled', 'the cloud asked to wait', { remedy: 'wait' }),
};
export const ambiguous: Finding = { is: 'ambiguous', candidates: ['i-1', 'i-2'] };
const instance = { providerId: 'cloud:///i-1', addresses: [], labels: {} };
export const running: Finding = { is: 'present', running: true, instance };
export const stopped: Finding = { is: 'present', running: false, instance };

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

interface Seen extends Partial<NodeState> {
  readonly atMs: number;
  /** Absent: only the Node was seen. */
  readonly finding?: Finding;
  readonly canary?: Canary;
}

export interface Stage {
  see(seen: Seen): Decision;
}

/** One Node of a scope of ten, as one observation after the other finds it; the questions take no time. */
export function createStage(given: Partial<LifecycleSettings> = {}): Stage {
  const settings = { ...defaultSettings, ...given };
  let record: NodeRecord | undefined;
  let scope: ScopeRecord = beginScope('aws/one', 0);
  return {
    see: ({ atMs, finding, canary, ...differences }) => {
      const state = { ...node, ...differences };
      if (finding !== undefined) {
        const known = new Set([state.uid, ...Array.from({ length: 9 }, (_, index) => `other-${index}`)]);
        const findings = new Map([[state.uid, finding]]);
        const told = { known, findings, canary: canary ?? goodCanary, confirmed: new Map<string, string>() };
        scope = observeScope(scope, told, settings, atMs);
      }
      const look = finding && { look: { finding, canary: canary ?? goodCanary, askedAtMs: atMs, scope } };
      const decision = observe(record, { ...state, ...look }, settings, atMs);
      record = decision.record;
      scope = decision.scope ?? scope;
      return decision;
    },
  };
}
