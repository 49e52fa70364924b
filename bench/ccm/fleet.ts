import { setTimeout as wait } from 'node:timers/promises';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { fleetOf } from '../../test/lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../test/lab/clouds/aws/ec2-instance.ts';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { nodeDraft } from './node-drafts.ts';
import { clusterName, region } from './place.ts';
import type { Place } from './place.ts';

/**
 * Takes the place of all instances that were there; `number` tells fleets apart, so that nobody knows them yet. Each has
 * a second address, as where pods get theirs from the VPC.
 */
export async function launchFleet({ aws }: Place, count: number, number: number): Promise<readonly Ec2Instance[]> {
  const launchedAtMs = Date.now() - 3_600_000;
  const zoneLetters = ['a', 'b', 'c'];
  const fleet = fleetOf({ count, number, region, zoneLetters, launchedAtMs, accountId: '123456789012' });
  const tags = { [`kubernetes.io/cluster/${clusterName}`]: 'owned' };
  const changed = Object.values(fleet).map((instance) => ({ ...withSecondAddress(instance), tags }));
  const byId = Object.fromEntries(changed.map((instance) => [instance.instanceId, instance]));
  await aws.update({ ec2Instances: byId });
  return changed;
}

/** Fleets have numbers below 100, so nobody has these. */
function withSecondAddress(instance: Ec2Instance): Ec2Instance {
  const interfaces = instance.interfaces.map((each) => {
    const [first = ''] = each.privateIps;
    return { ...each, privateIps: [first, first.replace(/^10\.(\d+)/, (_all, fleet) => `10.${Number(fleet) + 100}`)] };
  });
  return { ...instance, interfaces };
}

export interface Pace {
  readonly knownBy: 'providerID' | 'name';
  /** Absent: as fast as the API server takes them. */
  readonly perSecond?: number | undefined;
}

const atOnce = 20;

/** Their Nodes. */
export async function register({ client }: Place, instances: readonly Ec2Instance[], pace: Pace): Promise<void> {
  const startedAtMs = performance.now();
  const signal = new AbortController().signal;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < instances.length; index = next++) {
      const instance = instances[index];
      if (instance === undefined) return;
      const dueAtMs = startedAtMs + (pace.perSecond === undefined ? 0 : (index / pace.perSecond) * 1_000);
      await until(dueAtMs);
      await client.create(nodes, nodeDraft(instance, pace.knownBy), signal);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function until(atMs: number): Promise<void> {
  const waitMs = atMs - performance.now();
  if (waitMs > 0) await wait(waitMs);
}

const patience = { withinMs: 120_000, everyMs: 100 };
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** No Node, no event and no lease that a controller would wait for. */
export async function clear(place: Place): Promise<void> {
  await freeLease(place);
  for (const kind of ['/api/v1/nodes', '/api/v1/namespaces/default/events']) await removeAll(place, kind);
}

/** Whoever comes next does not wait for one that did not give it back. */
export function freeLease(place: Place): Promise<void> {
  return removeAll(place, leases);
}

/** The API server gives up in between where there are thousands. */
function removeAll({ plane }: Place, path: string): Promise<void> {
  return waitUntil({ what: `nothing is left of ${path}`, ...patience }, async () => {
    await plane.ask('DELETE', path);
    const { body } = await plane.ask('GET', `${path}?limit=1`);
    return (body as { readonly items: readonly unknown[] }).items.length === 0 ? true : undefined;
  }).then(() => undefined);
}
