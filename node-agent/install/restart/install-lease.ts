import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { ignoring } from '../../../lib/kubernetes/ignoring.ts';
import { leases } from '../../../lib/kubernetes/resources.ts';
import { keys } from '../../../schemas/keys.ts';
import type { Lease } from '../../../schemas/kubernetes.ts';

/**
 * The Lease that lets one node of the cluster at a time restart its kubelet. Its holder is the node that does. An
 * annotation has the first failure, which stops all others until an operator removes it.
 */
export interface InstallLease {
  /** Waits for other nodes. Throws if one has failed. */
  acquire(): Promise<void>;
  /** Nothing if another node holds it. */
  release(): Promise<void>;
  /** Releases it, and stops all other nodes with this text. */
  fail(text: string): Promise<void>;
}

export interface LeaseDeps {
  readonly client: Pick<KubernetesClient, 'get' | 'create' | 'patch'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly nodeName: string;
  /** For people, while it waits. */
  report(line: string): void;
}

/** One for the cluster, whatever the namespace of the agents. */
const leaseRef = { namespace: 'kube-system', name: 'polycloud-install' } as const;
export const clearFailure = `kubectl -n ${leaseRef.namespace} annotate lease ${leaseRef.name} ${keys.installFailure}-`;

/** A restart takes less than half of it. Nobody renews the Lease. */
const longestHoldMs = 300_000;
const firstWaitMs = 5_000;
/** Many nodes wait at the same time. */
const longestWaitMs = 60_000;

export function openInstallLease(deps: LeaseDeps): InstallLease {
  const { nodeName, clock, signal } = deps;
  return {
    acquire: async () => {
      let seen: Seen | undefined;
      for (let waits = 0; ; waits += 1) {
        const lease = await read(deps);
        seen = look(seen, lease, clock.monotonicMs());
        const turn = decideTurn(lease, nodeName, seen.unchangedMs);
        if (turn.do === 'stop') throw stopped(turn.failure);
        if (turn.do === 'have') return;
        if (turn.do === 'take' && (await write(deps, lease, hold(lease, deps)))) return;
        if (turn.do === 'give-up') await write(deps, lease, failed(turn.failure));
        if (turn.do !== 'wait') continue;
        if (seen.unchangedMs === 0) deps.report(`waiting for node ${turn.holder}, which restarts its kubelet`);
        const fullMs = Math.min(firstWaitMs * 2 ** waits, longestWaitMs);
        await clock.sleep(fullMs * (0.5 + deps.random() / 2), signal);
      }
    },
    release: () => update(deps, (lease) => (lease?.spec.holderIdentity === nodeName ? noHolder : undefined)),
    fail: (text) =>
      update(deps, (lease) => {
        const isMine = lease === undefined || lease.spec.holderIdentity === nodeName;
        if (isMine) return failed(text);
        // It may have been taken from us. Even so a failure stops the others; the first one stays.
        return failureOf(lease) === undefined ? { ...failed(text), spec: {} } : undefined;
      }),
  };
}

type Turn =
  | { readonly do: 'have' | 'take' }
  | { readonly do: 'wait'; readonly holder: string }
  | { readonly do: 'stop'; readonly failure: string }
  /** The holder has not come back: it is not known whether its kubelet works. */
  | { readonly do: 'give-up'; readonly failure: string };

/** `unchangedMs`: how long this process has seen the Lease as it is, by its own clock. Pure. */
function decideTurn(lease: Lease | undefined, nodeName: string, unchangedMs: number): Turn {
  const failure = failureOf(lease);
  if (failure !== undefined) return { do: 'stop', failure };
  const { holderIdentity: holder = '', acquireTime } = lease?.spec ?? {};
  if (holder === '') return { do: 'take' };
  if (holder === nodeName) return { do: 'have' };
  if (unchangedMs < longestHoldMs) return { do: 'wait', holder };
  const since = acquireTime === undefined ? '' : ` at ${acquireTime.replace(/\.\d+Z$/, 'Z')}`;
  return { do: 'give-up', failure: `node ${holder} began to restart its kubelet${since} and never reported the end` };
}

function failureOf(lease: Lease | undefined): string | undefined {
  return lease?.metadata.annotations?.[keys.installFailure];
}

interface Seen {
  readonly version: string | undefined;
  readonly sinceMs: number;
  readonly unchangedMs: number;
}

function look(before: Seen | undefined, lease: Lease | undefined, nowMs: number): Seen {
  const version = lease?.metadata.resourceVersion;
  const sinceMs = before !== undefined && before.version === version ? before.sinceMs : nowMs;
  return { version, sinceMs, unchangedMs: nowMs - sinceMs };
}

function stopped(failure: string): Failure {
  return new Failure('misconfigured', `no kubelet is restarted any more since a restart failed: ${failure}`, {
    remedy: `correct that, then \`${clearFailure}\``,
  });
}

function read({ client, signal }: LeaseDeps): Promise<Lease | undefined> {
  return ignoring(['not-found'], undefined, () => client.get(leases, leaseRef, signal));
}

interface LeaseChange {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Lease['spec'];
}

const noHolder: LeaseChange = { spec: { holderIdentity: '' } };

function failed(text: string): LeaseChange {
  return { ...noHolder, annotations: { [keys.installFailure]: text } };
}

function hold(lease: Lease | undefined, { nodeName, clock }: LeaseDeps): LeaseChange {
  // Kubernetes' MicroTime has six digits after the point.
  const now = new Date(clock.wallMs()).toISOString().replace('Z', '000Z');
  const leaseTransitions = (lease?.spec.leaseTransitions ?? 0) + 1;
  const times = { acquireTime: now, renewTime: now, leaseDurationSeconds: longestHoldMs / 1_000 };
  return { spec: { holderIdentity: nodeName, leaseTransitions, ...times } };
}

/** `false`: another node was faster. */
async function write({ client, signal }: LeaseDeps, lease: Lease | undefined, change: LeaseChange): Promise<boolean> {
  const { spec, annotations } = change;
  const written = await ignoring(['conflict', 'already-exists', 'not-found'], undefined, () => {
    const metadata = annotations === undefined ? {} : { annotations };
    if (lease === undefined) return client.create(leases, { metadata: { ...leaseRef, ...metadata }, spec }, signal);
    const { uid, resourceVersion } = lease.metadata;
    const body = { metadata, spec: { ...spec } };
    return client.patch(leases, { ...leaseRef, uid, resourceVersion }, { type: 'merge', body }, signal);
  });
  return written !== undefined;
}

/** `change` returns undefined if there is nothing to write. */
async function update(deps: LeaseDeps, change: (lease: Lease | undefined) => LeaseChange | undefined): Promise<void> {
  for (;;) {
    const lease = await read(deps);
    const due = change(lease);
    if (due === undefined || (await write(deps, lease, due))) return;
  }
}
