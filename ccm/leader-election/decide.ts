import type { Lease } from '../../schemas/kubernetes.ts';

/** Who stands for election, and what it promises when it leads. */
export interface ElectionCandidate {
  /** Nobody else's, not even that of the same machine's next process. */
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** What a candidate has seen of the lease. Times are its own: clocks of others are never believed. */
export interface LeaseView {
  /** Absent: there was none when it was last read. */
  readonly lease: Lease | undefined;
  /** Who had it last; empty: nobody. */
  readonly holder: string;
  /** Until then that holder may act as leader, unless it renews. */
  readonly heldUntilMs: number;
}

export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export type ElectionDecision =
  | { readonly do: 'wait'; readonly untilMs: number }
  | { readonly do: 'create'; readonly spec: Lease['spec'] }
  | { readonly do: 'update'; readonly lease: Lease };

export const emptyView: LeaseView = { lease: undefined, holder: '', heldUntilMs: 0 };

/** `nowMs` is a moment after the answer: whoever waits from too late a moment waits too long, which harms nobody. */
export function observe(view: LeaseView, lease: Lease | undefined, nowMs: number): LeaseView {
  // A lease that was removed does not stop its holder, who finds out later.
  if (lease === undefined) return { ...view, lease };
  if (view.lease !== undefined && isSameTerm(view.lease, lease)) return { ...view, lease };
  const durationMs = (lease.spec.leaseDurationSeconds ?? 0) * 1_000;
  return { lease, holder: lease.spec.holderIdentity ?? '', heldUntilMs: nowMs + durationMs };
}

/** What to do to have the lease, or to keep it. */
export function decide(view: LeaseView, candidate: ElectionCandidate, now: ClockReading): ElectionDecision {
  const isMine = view.holder === candidate.identity;
  const isHeld = view.holder !== '' && !isMine && now.monotonicMs < view.heldUntilMs;
  if (isHeld) return { do: 'wait', untilMs: view.heldUntilMs };
  const spec = specOf(view, candidate, now.wallMs);
  return view.lease === undefined ? { do: 'create', spec } : { do: 'update', lease: { ...view.lease, spec } };
}

/** What a leader leaves behind that goes: anybody may take it at once. */
export function released(lease: Lease, wallMs: number): Lease {
  const now = microTime(wallMs);
  const noHolder = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
  return { ...lease, spec: { ...lease.spec, ...noHolder } };
}

/** Another version alone means nothing: a label changes it too. */
function isSameTerm({ spec: a }: Lease, { spec: b }: Lease): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.leaseTransitions === b.leaseTransitions &&
    a.leaseDurationSeconds === b.leaseDurationSeconds
  );
}

/** Fields that are not ours stay as they are. */
function specOf({ lease }: LeaseView, { identity, leaseDurationMs }: ElectionCandidate, wallMs: number): Lease['spec'] {
  const renewTime = microTime(wallMs);
  const old = lease?.spec;
  const leaseDurationSeconds = leaseDurationMs / 1_000;
  const acquired = {
    acquireTime: renewTime,
    leaseTransitions: old === undefined ? 0 : (old.leaseTransitions ?? 0) + 1,
  };
  const term = old?.holderIdentity === identity ? {} : acquired;
  return { ...old, holderIdentity: identity, leaseDurationSeconds, renewTime, ...term };
}

/** Kubernetes' MicroTime has six digits after the point; a clock of milliseconds knows three. */
function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
