import { setTimeout as wait } from 'node:timers/promises';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { fleetOf } from '../../test/lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../test/lab/clouds/aws/ec2-instance.ts';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { nodeDraft } from './node-drafts.ts';
import { clusterName, region } from './fixture.ts';
import type { ControllerFixture } from './fixture.ts';

/**
 * Takes the place of all instances that were there; `number` tells fleets apart, so that nobody knows them yet. Each has
 * a second address, as where pods get theirs from the VPC.
 */
export async function launchFleet(
  { aws }: ControllerFixture,
  count: number,
  number: number,
): Promise<readonly Ec2Instance[]> {
  const launchedAtMs = Date.now() - 3_600_000;
  const zoneLetters = ['a', 'b', 'c'];
  const fleet = fleetOf({ count, number, region, zoneLetters, launchedAtMs, accountId: '123456789012' });
  const tags = { [`kubernetes.io/cluster/${clusterName}`]: 'owned' };
  const changed = Object.values(fleet).map((instance) => ({ ...withSecondAddress(instance), tags }));
  const byId = Object.fromEntries(changed.map((instance) => [instance.instanceId, instance]));
  await aws.update({ ec2Instances: byId });
  return changed;
}

/** Fleets have numbers below 100, so no instance has these ids. */
function withSecondAddress(instance: Ec2Instance): Ec2Instance {
  const interfaces = instance.interfaces.map((each) => {
    const [first = ''] = each.privateIps;
    return { ...each, privateIps: [first, first.replace(/^10\.(\d+)/, (_all, fleet) => `10.${Number(fleet) + 100}`)] };
  });
  return { ...instance, interfaces };
}

export interface RegistrationOptions {
  readonly knownBy: 'providerID' | 'name';
  /** Absent: as fast as the API server takes them. */
  readonly perSecond?: number | undefined;
}

const atOnce = 20;

/** Their Nodes. */
export async function registerNodes(
  { client }: ControllerFixture,
  instances: readonly Ec2Instance[],
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
