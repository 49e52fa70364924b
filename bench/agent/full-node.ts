import { nodes } from '../../lib/kubernetes/resources.ts';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { createPod } from '../../test/system/api-server/node-agent/pods.ts';
import { nodeDraft } from '../harness/node-drafts.ts';
import type { AgentFixture } from './fixture.ts';

const atOnce = 10;
const podsPath = '/api/v1/namespaces/shop/pods';
const signal = new AbortController().signal;

/** Neither Nodes nor pods are left. */
export async function clearCluster({ plane }: AgentFixture): Promise<void> {
  for (const path of ['/api/v1/nodes', podsPath]) {
    await waitUntil({ what: `nothing is left of ${path}`, withinMs: 60_000, everyMs: 100 }, async () => {
      await plane.ask('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 });
      const { body } = await plane.ask('GET', `${path}?limit=1`);
      return (body as { readonly items: readonly unknown[] }).items.length === 0 ? true : undefined;
    });
  }
}

/** As a kubelet does. */
export async function registerNode(fixture: AgentFixture, name: string): Promise<void> {
  const instance = { name, providerId: '', systemUuid: 'ec2a1b2c-3d4e-5f60-7182-93a4b5c6d7e8' };
  await fixture.client.create(nodes, nodeDraft(instance, 'name'), signal);
}

/** Running pods on it, which have no controller here that would create new ones. */
export async function addPods({ plane }: AgentFixture, nodeName: string, count: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await createPod({ plane }, { name: `${nodeName}-${String(index)}`, nodeName, owner: 'ReplicaSet' });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
