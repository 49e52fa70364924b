import type { Lease } from '../../schemas/kubernetes.ts';

/** A candidate and the lease duration that it uses. */
export interface ElectionCandidate {
  /** Unique, also among later processes of the same machine. */
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** What a candidate has seen of the lease. Times are its own: it never trusts the clocks of others. */
export interface LeaseView {
  /** Absent: there was none when it was last read. */
  readonly lease: Lease | undefined;
  /** The last holder. Empty: none. */
  readonly holder: string;
  /** Until then that holder may act as leader, even if it does not renew. */
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

/** `nowMs` is a moment after the response. A wait from a later moment is only longer, which is safe. */
export function observe(view: LeaseView, lease: Lease | undefined, nowMs: number): LeaseView {
  // The removal of a lease does not stop its holder, which notices later.
  if (lease === undefined) return { ...view, lease };
  if (view.lease !== undefined && isSameTerm(view.lease, lease)) return { ...view, lease };
  const durationMs = (lease.spec.leaseDurationSeconds ?? 0) * 1_000;
  return { lease, holder: lease.spec.holderIdentity ?? '', heldUntilMs: nowMs + durationMs };
}

/** What to do to get the lease, or to keep it. */
export function decide(view: LeaseView, candidate: ElectionCandidate, now: ClockReading): ElectionDecision {
  const isMine = view.holder === candidate.identity;
  const isHeld = view.holder !== '' && !isMine && now.monotonicMs < view.heldUntilMs;
  if (isHeld) return { do: 'wait', untilMs: view.heldUntilMs };
  const spec = specOf(view, candidate, now.wallMs);
  return view.lease === undefined ? { do: 'create', spec } : { do: 'update', lease: { ...view.lease, spec } };
}

/** The lease after its release: any candidate may take it at once. */
export function released(lease: Lease, wallMs: number): Lease {
  const now = microTime(wallMs);
  const noHolder = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
  return { ...lease, spec: { ...lease.spec, ...noHolder } };
}

/** A new version alone means nothing: a label changes it too. */
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

/** Kubernetes' MicroTime has six digits after the point. A clock in milliseconds has three. */
function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
