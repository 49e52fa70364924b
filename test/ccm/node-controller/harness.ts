import t from 'tap';
import { dryRunCluster } from '../../../ccm/node-controller/cluster.ts';
import { createKubernetesCluster } from '../../../ccm/node-controller/kubernetes-cluster.ts';
import { createWrites } from '../../../ccm/node-controller/writes.ts';
import { createNodeController } from '../../../ccm/node-controller/controller.ts';
import type { NodeController } from '../../../ccm/node-controller/controller.ts';
import type { ControllerSettings } from '../../../ccm/node-controller/dependencies.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import type { Context } from '../../../lib/context.ts';
import type { Http } from '../../../lib/http/http.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { logInto, silentLog } from '../../support/logs.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { createMemoryApiServer } from './memory-api-server.ts';
import type { MemoryApiServer } from './memory-api-server.ts';
import { createRequestHooks } from './request-hooks.ts';
import type { RequestHooks } from './request-hooks.ts';
import { createToyCloud } from './toy-cloud.ts';
import type { ToyCloud } from './toy-cloud.ts';

/** The controller, which leads, between a toy cloud and an API server in memory, on a clock that stands still. */
export interface ControllerHarness {
  readonly clock: FakeClock;
  readonly hooks: RequestHooks;
  readonly api: MemoryApiServer;
  readonly cloud: ToyCloud;
  readonly otherCloud: ToyCloud;
  readonly controller: NodeController;
  readonly logLines: string[];
  readonly counts: {
    deleted: number;
    initialized: number;
    /** The kind of each write that was counted. */
    readonly writes: string[];
    readonly breakers: Map<string, boolean>;
  };
  /** Whether the lease still holds. */
  mayWrite: boolean;
  /** What a cloud sends requests with. */
  send: Http['send'];
  /** Ends this lead, and begins another one in the same process. */
  leadAgain(): Promise<void>;
  /** Ends this lead, and begins the next as another process would: with nothing in memory. */
  restart(): Promise<void>;
  advance(durationMs: number): Promise<void>;
}

export const monitorPeriodMs = 5_000;
export const sweepMs = 300_000;
export const startWallMs = Date.parse('2026-03-01T12:00:00Z');
const lookupTimeoutMs = 30_000;

export interface HarnessOverrides {
  readonly isDry?: boolean;
  /** Absent: there is no leader election. */
  readonly lease?: { readonly namespace: string; readonly name: string };
}

export function startHarness(
  given: Partial<ControllerSettings> = {},
  { isDry = false, lease }: HarnessOverrides = {},
): ControllerHarness {
  const clock = createFakeClock(startWallMs);
  const hooks = createRequestHooks();
  const api = createMemoryApiServer(hooks);
  const [cloud, otherCloud] = ['toy', 'other'].map((name) => createToyCloud(name, clock, hooks));
  if (cloud === undefined || otherCloud === undefined) throw new Error('two names make two clouds');
  const logLines: string[] = [];
  const breakers = new Map<string, boolean>();
  const counts: ControllerHarness['counts'] = { deleted: 0, initialized: 0, writes: [], breakers };
  const settings = {
    nodeMonitorPeriodMs: monitorPeriodMs,
    nodeStatusUpdateFrequencyMs: sweepMs,
    agentHeadStartMs: 0,
    lifecycle: defaultSettings,
    controllers: { node: true, lifecycle: true },
    ...given,
  };
  const newController = (): NodeController =>
    createNodeController({
      clouds: [cloud, otherCloud],
      settings,
      clock,
      random: () => 0.5,
      log: logInto((line) => void logLines.push(line)),
      metrics: {
        countLookup: () => {},
        countCloudRequest: () => {},
        countDecision: () => {},
        observeInitialization: () => void (counts.initialized += 1),
        countWrites: (kind, count) => void counts.writes.push(...Array.from({ length: count }, () => kind)),
        countDeletion: () => void (counts.deleted += 1),
        setBreaker: (key, open) => void breakers.set(key, open),
      },
      contextFor: (signal) => ({
        ...contextOn(clock, signal),
        http: { send: (...request) => harness.send(...request) },
      }),
    });
  let controller = newController();
  let lead = startLead();
  api.onChange((kind, node) => {
    if (kind === 'changed') controller.nodeChanged(node);
    else controller.nodeRemoved(node.metadata.uid);
  });
  const harness: ControllerHarness = {
    clock,
    hooks,
    api,
    cloud,
    otherCloud,
    logLines,
    counts,
    mayWrite: true,
    send: () => Promise.reject(new Error('a toy cloud has no HTTP')),
    get controller() {
      return controller;
    },
    leadAgain: async () => {
      await lead.end();
      lead = startLead();
    },
    restart: async () => {
      await lead.end();
      const known = [...controller.nodes().values()].map(({ node }) => node);
      controller = newController();
      for (const node of known) controller.nodeChanged(node);
      lead = startLead();
    },
    advance: (durationMs) => clock.advance(durationMs),
  };

  function startLead(): { end(): Promise<void> } {
    const ending = new AbortController();
    const { signal } = ending;
    const mayWrite = (): boolean => harness.mayWrite;
    const writes = createWrites({ limits: { atOnce: 20, perSecond: 0, burst: 1 }, clock, signal, mayWrite });
    const permissions = { signal, mayWrite, maxWriteMs: 30_000 };
    const parts = { client: api.client, writes, clock, ...permissions, component: 'test', instance: 'test' };
    // Begins once the stage is there.
    const cluster = createKubernetesCluster({ ...parts, ...(lease && { lease }) });
    const usedCluster = isDry ? dryRunCluster(cluster) : cluster;
    const leading = Promise.resolve().then(() => controller.lead(signal, usedCluster));
    const end = async (): Promise<void> => {
      ending.abort(new Error('the lead has ended'));
      await leading;
    };
    return { end };
  }
  t.teardown(() => lead.end());
  return harness;
}

export function contextOn(clock: FakeClock, signal: AbortSignal): Context {
  const timeout = new AbortController();
  const any = AbortSignal.any([signal, timeout.signal]);
  const abort = (): void => timeout.abort(new DOMException('too late', 'TimeoutError'));
  clock.sleep(lookupTimeoutMs, signal).then(abort, () => {});
  const http = (): never => {
    throw new Error('a toy cloud has no HTTP');
  };
  const deadlineAtMs = clock.monotonicMs() + lookupTimeoutMs;
  return { signal: any, deadlineAtMs, http: http as never, clock, log: silentLog, random: () => 0.5 };
}

const taints = {
  uninitialized: { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  shutdown: { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' },
} as const;

export interface NodeOverrides {
  readonly name: string;
  readonly ready?: boolean;
  readonly taints?: readonly (keyof typeof taints)[];
  readonly region?: string;
  readonly providerId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ageMs?: number;
}

const hourMs = 3_600_000;

/** A Node that has been at work for an hour, as its instance of the same name is. */
export function knownNode(overrides: NodeOverrides): Node {
  const { name, ready = true, region = 'here', ageMs = hourMs, annotations = {} } = overrides;
  const providerId = 'providerId' in overrides ? overrides.providerId : `toy://${region}/${name}`;
  const described = {
    'node.kubernetes.io/instance-type': 'toy.large',
    'beta.kubernetes.io/instance-type': 'toy.large',
    'topology.kubernetes.io/zone': `${region}-a`,
    'failure-domain.beta.kubernetes.io/zone': `${region}-a`,
    'topology.kubernetes.io/region': region,
    'failure-domain.beta.kubernetes.io/region': region,
  };
  return withReady(
    {
      metadata: {
        name,
        uid: `uid-of-${name}`,
        resourceVersion: '1',
        creationTimestamp: new Date(startWallMs - ageMs).toISOString(),
        labels: { ...described, ...overrides.labels },
        annotations,
      },
      spec: {
        ...(providerId !== undefined && { providerID: providerId }),
        taints: (overrides.taints ?? []).map((each) => taints[each]),
      },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] },
    },
    ready,
  );
}

/** A Node that has just registered, with nothing of its instance. */
export function newNode(overrides: NodeOverrides): Node {
  const node = knownNode({ providerId: undefined, ageMs: 0, taints: ['uninitialized'], ...overrides });
  return {
    ...node,
    metadata: { ...node.metadata, labels: overrides.labels ?? {} },
    status: { ...node.status, addresses: [] },
  };
}

export function withReady(node: Node, ready: boolean): Node {
  const others = (node.status.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const condition = { type: 'Ready', status: ready ? 'True' : 'False' } as const;
  return { ...node, status: { ...node.status, conditions: [...others, condition] } };
}

export function withLabel(node: Node, key: string, value: string): Node {
  return { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, [key]: value } } };
}

export function hasTaint(node: Node | undefined, name: keyof typeof taints): boolean {
  return (node?.spec.taints ?? []).some(({ key }) => key === taints[name].key);
}
