import type { Test } from 'tap';
import { dryRunCluster } from '../../../ccm/node-controller/cluster.ts';
import { createKubernetesCluster } from '../../../ccm/node-controller/kubernetes-cluster.ts';
import { createWrites } from '../../../ccm/node-controller/writes.ts';
import { parseCidr } from '../../../ccm/route-controller/cidr.ts';
import { createRouteController } from '../../../ccm/route-controller/controller.ts';
import type { RouteController } from '../../../ccm/route-controller/controller.ts';
import type { RouteSettings } from '../../../ccm/route-controller/state.ts';
import type { Route } from '../../../clouds/cloud.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { logInto } from '../../support/logs.ts';
import { contextOn } from '../node-controller/harness.ts';
import { createMemoryApiServer } from '../node-controller/memory-api-server.ts';
import type { MemoryApiServer } from '../node-controller/memory-api-server.ts';
import { createRequestHooks } from '../node-controller/request-hooks.ts';
import { createToyRoutes } from './toy-routes.ts';
import type { ToyRoutes } from './toy-routes.ts';

const startWallMs = Date.parse('2026-11-19T12:00:00Z');
export const periodMs = 10_000;
export const tableKey = 'toy/main';

export interface RouteHarness {
  readonly clock: FakeClock;
  readonly api: MemoryApiServer;
  readonly cloud: ToyRoutes;
  readonly controller: RouteController;
  readonly logLines: string[];
  readonly counts: string[];
  mayWrite: boolean;
  /** `10.1.0.0/24 10.0.0.1`, sorted. */
  routes(table?: string): readonly string[];
  condition(name: string): string | undefined;
  /** A new process: it knows the Nodes, and nothing else. */
  restart(): Promise<void>;
  leadAgain(): Promise<void>;
  end(): Promise<void>;
}

export function startRouteHarness(given: Partial<RouteSettings> = {}, random: () => number = () => 0.5): RouteHarness {
  const clock = createFakeClock(startWallMs);
  const api = createMemoryApiServer(createRequestHooks());
  const cloud = createToyRoutes('toy', clock);
  const logLines: string[] = [];
  const counts: string[] = [];
  const clusterCidrs = ['10.1.0.0/16', 'fd00::/16'].flatMap((text) => parseCidr(text) ?? []);
  const settings = { clusterCidrs, routeReconciliationPeriodMs: periodMs, dryRun: false, ...given };
  const newController = (): RouteController =>
    createRouteController({
      clouds: [cloud],
      settings,
      clock,
      random,
      log: logInto((line) => void logLines.push(line)),
      metrics: {
        countRouteRun: (outcome) => void counts.push(outcome),
        countRouteChange: (change, result) => void counts.push(`${change} ${result}`),
        countCloudRequest: () => {},
        countWrites: (kind) => void counts.push(kind),
      },
      contextFor: (signal) => contextOn(clock, signal),
    });
  let controller = newController();
  let lead = startLead();
  api.onChange((kind, node) => {
    if (kind === 'changed') controller.nodeChanged(node);
    else controller.nodeRemoved(node.metadata.uid);
  });

  function startLead(): () => Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    const mayWrite = (): boolean => harness.mayWrite && !signal.aborted;
    const writes = createWrites({ limits: { atOnce: 20, perSecond: 0, burst: 1 }, clock, signal, mayWrite });
    const permissions = { signal, mayWrite, maxWriteMs: 30_000 };
    const parts = { client: api.client, writes, clock, ...permissions, component: 'test', instance: 'test' };
    const cluster = createKubernetesCluster(parts);
    const used = settings.dryRun ? dryRunCluster(cluster) : cluster;
    const leading = Promise.resolve().then(() => controller.lead(signal, used, mayWrite));
    return async () => {
      ending.abort(new Error('the lead has ended'));
      await leading;
    };
  }

  const harness: RouteHarness = {
    clock,
    api,
    cloud,
    logLines,
    counts,
    mayWrite: true,
    get controller() {
      return controller;
    },
    routes: (table = tableKey) =>
      (cloud.routesOf.get(table) ?? []).map(({ podCidr, nextHop }) => `${podCidr} ${nextHop}`).toSorted(),
    condition: (name) => conditionOf(api.node(name)),
    leadAgain: async () => {
      await lead();
      lead = startLead();
    },
    restart: async () => {
      await lead();
      const known = [...controller.nodes().values()].map(({ node }) => node);
      controller = newController();
      for (const node of known) controller.nodeChanged(node);
      lead = startLead();
    },
    end: () => lead(),
  };
  return harness;
}

/** With its end at the end of the test. */
export function routeHarnessFor(t: Test, given: Partial<RouteSettings> = {}): RouteHarness {
  const harness = startRouteHarness(given);
  t.teardown(() => harness.end());
  return harness;
}

export function conditionOf(node: Node | undefined): string | undefined {
  const condition = node?.status.conditions?.find(({ type }) => type === 'NetworkUnavailable');
  return condition && `${condition.status} ${condition.reason ?? ''}`;
}

export interface RoutedNodeOverrides {
  readonly uid?: string;
  readonly podCidrs?: readonly string[];
  readonly ips?: readonly string[];
  readonly table?: string;
  readonly providerId?: string;
  readonly isNew?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly createdAt?: string;
}

const uninitialized = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
} as const;

/** Node `n3` has the pod CIDR 10.1.3.0/24 and the address 10.0.0.3. */
export function nodeAt(number: number, given: RoutedNodeOverrides = {}): Node {
  const name = `n${number}`;
  const usual = { uid: `uid of ${name}`, podCidrs: [`10.1.${number}.0/24`], ips: [`10.0.0.${number}`] };
  const { table = 'main', labels = {}, createdAt = '2026-11-19T11:00:00Z' } = given;
  const { uid, podCidrs, ips, isNew, providerId } = { ...usual, providerId: `toy://${table}/${name}`, ...given };
  return {
    metadata: { name, uid, resourceVersion: '1', creationTimestamp: createdAt, labels },
    spec: { providerID: providerId, podCIDRs: podCidrs, ...(isNew === true && { taints: [uninitialized] }) },
    status: {
      addresses: ips.map((address) => ({ type: 'InternalIP', address })),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

export function unmarked(podCidr: string, nextHop: string): Route {
  return { podCidr, nextHop, owner: 'unmarked', blackhole: false };
}
