import { setTimeout as wait } from 'node:timers/promises';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { nodeDraft } from '../harness/node-drafts.ts';
import type { BenchInstance } from '../harness/node-drafts.ts';
import type { ControllerFixture } from './fixture.ts';

export interface RegistrationOptions {
  readonly knownBy: 'providerID' | 'name';
  /** Absent: as fast as the API server takes them. */
  readonly perSecond?: number | undefined;
}

const atOnce = 20;

/** Their Nodes. */
export async function registerNodes(
  { client }: ControllerFixture,
  instances: readonly BenchInstance[],
  options: RegistrationOptions,
): Promise<void> {
  const startedAtMs = performance.now();
  const signal = new AbortController().signal;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < instances.length; index = next++) {
      const instance = instances[index];
      if (instance === undefined) return;
      const dueAtMs = startedAtMs + (options.perSecond === undefined ? 0 : (index / options.perSecond) * 1_000);
      await sleepUntil(dueAtMs);
      await client.create(nodes, nodeDraft(instance, options.knownBy), signal);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function sleepUntil(atMs: number): Promise<void> {
  const waitMs = atMs - performance.now();
  if (waitMs > 0) await wait(waitMs);
}

const polling = { withinMs: 120_000, everyMs: 100 };
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** No Node, no event and no lease that a controller would wait for. */
export async function clearCluster(fixture: ControllerFixture): Promise<void> {
  await deleteLeases(fixture);
  for (const kind of ['/api/v1/nodes', '/api/v1/namespaces/default/events']) await deleteAll(fixture, kind);
}

/** So that the next subject does not wait for a Lease that was not released. */
export function deleteLeases(fixture: ControllerFixture): Promise<void> {
  return deleteAll(fixture, leases);
}

/** The API server gives up in between where there are thousands. */
function deleteAll({ plane }: ControllerFixture, path: string): Promise<void> {
  return waitUntil({ what: `nothing is left of ${path}`, ...polling }, async () => {
    await plane.ask('DELETE', path);
    const { body } = await plane.ask('GET', `${path}?limit=1`);
    return (body as { readonly items: readonly unknown[] }).items.length === 0 ? true : undefined;
  }).then(() => undefined);
}
