import { KubernetesError } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { KubernetesErrorKind } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { Alarm } from '../../../../node-agent/interruption/alarm.ts';
import type { DrainPod } from '../../../../node-agent/interruption/drain/drain-pod.ts';
import type { DrainStep } from '../../../../node-agent/interruption/drain/plan-drain.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';

/** Pods with a kubelet that ends them when their grace is over, and an API server with budgets. */
export interface FakePods {
  readonly pods: Map<string, DrainPod>;
  /** What the API server accepted: seconds since the start, and the step. */
  readonly accepted: string[];
  readonly requests: { count: number; now: number; most: number };
  /** By pod: what an eviction, or every request, fails with. */
  readonly refuses: Map<string, KubernetesErrorKind>;
  everything: KubernetesError | undefined;
  /** Pods whose requests have no response until the limit of 10 s. */
  readonly hangs: Set<string>;
  /** How long a request takes. */
  latencyMs: number;
  send(step: DrainStep, signal: AbortSignal): Promise<void>;
}

export function createFakePods(pods: readonly DrainPod[], alarm: Alarm, clock: FakeClock): FakePods {
  const startedAtMs = clock.wallMs();
  const seconds = (): number => (clock.wallMs() - startedAtMs) / 1_000;
  const fake: FakePods = {
    pods: new Map(pods.map((pod) => [pod.metadata.name, pod])),
    accepted: [],
    requests: { count: 0, now: 0, most: 0 },
    refuses: new Map(),
    everything: undefined,
    hangs: new Set(),
    latencyMs: 0,
    send: async ({ pod: { metadata }, how, graceSeconds }, signal) => {
      const { requests } = fake;
      requests.count += 1;
      requests.now += 1;
      requests.most = Math.max(requests.most, requests.now);
      try {
        if (fake.latencyMs > 0) await clock.sleep(fake.latencyMs, signal);
        if (fake.hangs.has(metadata.name)) {
          await clock.sleep(10_000, signal);
          throw errorOf('unavailable');
        }
        answer(metadata.name, how, graceSeconds);
      } finally {
        requests.now -= 1;
      }
    },
  };
  return fake;

  function answer(name: string, how: DrainStep['how'], graceSeconds: number | undefined): void {
    const pod = fake.pods.get(name);
    if (fake.everything !== undefined) throw fake.everything;
    if (pod === undefined) throw errorOf('not-found');
    const refusal = fake.refuses.get(name);
    if (refusal !== undefined && how === 'evict') throw errorOf(refusal);
    const given = graceSeconds ?? pod.graceSeconds;
    const endsAtMs = clock.wallMs() + given * 1_000;
    fake.accepted.push(`${String(seconds())} ${how} ${name} ${String(given)}`);
    fake.pods.set(name, { ...pod, endsAtMs });
    alarm.ring();
    killAt(name, endsAtMs).catch(() => undefined);
  }

  async function killAt(name: string, endsAtMs: number): Promise<void> {
    await clock.sleep(endsAtMs - clock.wallMs(), new AbortController().signal);
    if (fake.pods.get(name)?.endsAtMs !== endsAtMs) return;
    fake.pods.delete(name);
    alarm.ring();
  }
}

export function errorOf(kind: KubernetesErrorKind, retryAfterMs?: number): KubernetesError {
  const details = { remedy: 'wait', ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return new KubernetesError(kind, `it is ${kind}`, details);
}
