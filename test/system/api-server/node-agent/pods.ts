import { setTimeout as wait } from 'node:timers/promises';
import type { Pod } from '../../../../lib/kubernetes/objects.ts';
import type { AgentTestEnvironment } from './environment.ts';

const podNamespace = 'shop';
const podsPath = `/api/v1/namespaces/${podNamespace}/pods`;

export interface PodSettings {
  readonly name: string;
  readonly nodeName: string;
  readonly graceSeconds?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: string;
  readonly phase?: 'Running' | 'Succeeded';
}

/** Without controllers there is no service account in a namespace, and no pod without one. */
export async function createPodNamespace(environment: Pick<AgentTestEnvironment, 'plane'>): Promise<void> {
  await create(environment, '/api/v1/namespaces', { metadata: { name: podNamespace } });
  await create(environment, `/api/v1/namespaces/${podNamespace}/serviceaccounts`, { metadata: { name: 'default' } });
}

/** Bound to its node, and Ready as far as budgets count. */
export async function createPod(
  environment: Pick<AgentTestEnvironment, 'plane'>,
  { name, nodeName, graceSeconds = 30, annotations = {}, owner, phase = 'Running' }: PodSettings,
): Promise<void> {
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: 'apps/v1', kind: owner, name: 'owner', uid: 'owner', controller: true }];
  await create(environment, podsPath, {
    metadata: { name, labels: { app: name }, annotations, ownerReferences },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: graceSeconds,
      containers: [{ name: 'main', image: 'example.com/none' }],
    },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const { status } = await environment.plane.ask('PATCH', `${podsPath}/${name}/status`, {
    status: { phase, conditions },
  });
  if (status !== 200) throw new Error(`the status of pod ${name}: ${String(status)}`);
}

/** A PodDisruptionBudget that allows nothing. Its controller does not run here. */
export async function protectPod({ plane }: Pick<AgentTestEnvironment, 'plane'>, name: string): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${podNamespace}/poddisruptionbudgets`;
  const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } };
  await create({ plane }, path, { metadata: { name }, spec });
  const counts = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
  const { status } = await plane.ask('PATCH', `${path}/${name}/status`, {
    status: { observedGeneration: 1, ...counts },
  });
  if (status !== 200) throw new Error(`the status of budget ${name}: ${String(status)}`);
}

/** From now on the budget allows one. */
export async function allowEviction({ plane }: Pick<AgentTestEnvironment, 'plane'>, name: string): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${podNamespace}/poddisruptionbudgets/${name}`;
  const { status } = await plane.ask('PATCH', `${path}/status`, { status: { disruptionsAllowed: 1 } });
  if (status !== 200) throw new Error(`the status of budget ${name}: ${String(status)}`);
}

export async function podsOn(
  { plane }: Pick<AgentTestEnvironment, 'plane'>,
  nodeName: string,
): Promise<readonly Pod[]> {
  const { body } = await plane.ask('GET', `${podsPath}?fieldSelector=spec.nodeName=${nodeName}`);
  return (body as { readonly items: readonly Pod[] }).items;
}

export interface EndedPod {
  /** That it was asked to end in. */
  readonly graceSeconds: number;
  /** It was still there then. */
  readonly endedAtMs: number;
}

/** Ends pods that were asked to go, as a kubelet does: so long after it saw that they were. */
export function endPods(
  environment: Pick<AgentTestEnvironment, 'plane' | 'atEnd'>,
  nodeName: string,
  endingMs: number = 0,
): ReadonlyMap<string, EndedPod> {
  const ended = new Map<string, EndedPod>();
  const askedAtMs = new Map<string, number>();
  const stop = new AbortController();
  const running = run();
  environment.atEnd(async () => {
    stop.abort();
    await running;
  });
  return ended;

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const asked = (await podsOn(environment, nodeName)).filter(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      for (const { metadata } of asked) {
        const sinceMs = askedAtMs.get(metadata.uid) ?? Date.now();
        askedAtMs.set(metadata.uid, sinceMs);
        if (Date.now() < sinceMs + endingMs) continue;
        const { deletionGracePeriodSeconds: graceSeconds = -1 } = metadata as { deletionGracePeriodSeconds?: number };
        ended.set(metadata.name, { graceSeconds, endedAtMs: Date.now() });
        await environment.plane.ask('DELETE', `${podsPath}/${metadata.name}`, { gracePeriodSeconds: 0 });
      }
      await wait(100, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }
}

async function create({ plane }: Pick<AgentTestEnvironment, 'plane'>, path: string, body: object): Promise<void> {
  const { status, body: answer } = await plane.ask('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${String(status)} ${JSON.stringify(answer)}`);
}
