import t from 'tap';
import { withoutWrites } from '../../../ccm/cluster/dry-run.ts';
import { createKubernetesCluster } from '../../../ccm/cluster/kubernetes-cluster.ts';
import { createWrites } from '../../../ccm/cluster/writes.ts';
import { createController } from '../../../ccm/controller/controller.ts';
import type { Controller } from '../../../ccm/controller/controller.ts';
import type { ControllerSettings } from '../../../ccm/controller/settings.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import type { Context } from '../../../clouds/index.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { logInto, silentLog } from '../../support/logs.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { createMemoryApiServer } from './memory-api-server.ts';
import type { MemoryApiServer } from './memory-api-server.ts';
import { createSteps } from './steps.ts';
import type { Steps } from './steps.ts';
import { createToyCloud } from './toy-cloud.ts';
import type { ToyCloud } from './toy-cloud.ts';

/** The controller, which leads, between a toy cloud and an API server in memory, on a clock that stands still. */
export interface Stage {
  readonly clock: FakeClock;
  readonly steps: Steps;
  readonly api: MemoryApiServer;
  readonly cloud: ToyCloud;
  readonly otherCloud: ToyCloud;
  readonly controller: Controller;
  readonly said: string[];
  readonly counted: {
    deleted: number;
    initialized: number;
    /** The kind of each write that was counted. */
    readonly writes: string[];
    readonly breakers: Map<string, boolean>;
  };
  /** Whether the lease still holds. */
  mayWrite: boolean;
  /** Ends this lead, and begins another one in the same process. */
  leadAgain(): Promise<void>;
  /** Ends this lead, and begins the next as another process would: with nothing in memory. */
  restart(): Promise<void>;
  advance(durationMs: number): Promise<void>;
}

export const monitorPeriodMs = 5_000;
export const sweepMs = 300_000;
const startWallMs = Date.parse('2026-03-01T12:00:00Z');
const longestLookMs = 30_000;

export interface StageWishes {
  readonly isDry?: boolean;
}

export function startStage(given: Partial<ControllerSettings> = {}, { isDry = false }: StageWishes = {}): Stage {
  const clock = createFakeClock(startWallMs);
  const steps = createSteps();
  const api = createMemoryApiServer(steps);
  const [cloud, otherCloud] = ['toy', 'other'].map((name) => createToyCloud(name, clock, steps));
  if (cloud === undefined || otherCloud === undefined) throw new Error('two names make two clouds');
  const said: string[] = [];
  const breakers = new Map<string, boolean>();
  const counted: Stage['counted'] = { deleted: 0, initialized: 0, writes: [], breakers };
  const settings = {
    nodeMonitorPeriodMs: monitorPeriodMs,
    nodeStatusUpdateFrequencyMs: sweepMs,
    agentHeadStartMs: 0,
    lifecycle: defaultSettings,
    controllers: { node: true, lifecycle: true },
    ...given,
  };
  const begin = (): Controller =>
    createController({
      clouds: [cloud, otherCloud],
      settings,
      clock,
      random: () => 0.5,
      log: logInto((line) => void said.push(line)),
      measures: {
        looked: () => {},
        initialized: () => void (counted.initialized += 1),
        wrote: (kind, count) => void counted.writes.push(...Array.from({ length: count }, () => kind)),
        deleted: () => void (counted.deleted += 1),
        breaker: (key, open) => void breakers.set(key, open),
      },
      contextFor: (signal) => contextOn(clock, signal),
    });
  let controller = begin();
  let lead = startLead();
  api.onChange((kind, node) => {
    if (kind === 'changed') controller.see(node);
    else controller.forget(node.metadata.uid);
  });
  const stage: Stage = {
    clock,
    steps,
    api,
    cloud,
    otherCloud,
    said,
    counted,
    mayWrite: true,
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
      controller = begin();
      for (const node of known) controller.see(node);
      lead = startLead();
    },
    advance: (durationMs) => clock.advance(durationMs),
  };

  function startLead(): { end(): Promise<void> } {
    const ending = new AbortController();
    const { signal } = ending;
    const mayWrite = (): boolean => stage.mayWrite;
    const writes = createWrites({ limits: { atOnce: 50, perSecond: 0, burst: 1 }, clock, signal, mayWrite });
    const rights = { client: api.client, writes, clock, signal, mayWrite, longestWriteMs: 30_000, instance: 'test' };
    // Begins once the stage is there.
    const cluster = createKubernetesCluster(rights);
    const usedCluster = isDry ? withoutWrites(cluster) : cluster;
    const leading = Promise.resolve().then(() => controller.lead(signal, usedCluster));
    const end = async (): Promise<void> => {
      ending.abort(new Error('the lead has ended'));
      await leading;
    };
    return { end };
  }
  t.teardown(() => lead.end());
  return stage;
}

function contextOn(clock: FakeClock, signal: AbortSignal): Context {
  const late = new AbortController();
  const any = AbortSignal.any([signal, late.signal]);
  const giveUp = (): void => late.abort(new DOMException('too late', 'TimeoutError'));
  clock.sleep(longestLookMs, signal).then(giveUp, () => {});
  const http = (): never => {
    throw new Error('a toy cloud has no HTTP');
  };
  const deadlineAtMs = clock.monotonicMs() + longestLookMs;
  return { signal: any, deadlineAtMs, http: http as never, clock, log: silentLog, random: () => 0.5 };
}

const taints = {
  uninitialized: { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  shutdown: { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' },
} as const;

export interface NodeWishes {
  readonly name: string;
  readonly ready?: boolean;
  readonly taints?: readonly (keyof typeof taints)[];
  readonly place?: string;
  readonly providerId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ageMs?: number;
}

const hourMs = 3_600_000;

/** A Node that has been at work for an hour, as its instance of the same name is. */
export function knownNode(wishes: NodeWishes): Node {
  const { name, ready = true, place = 'here', ageMs = hourMs, annotations = {} } = wishes;
  const providerId = 'providerId' in wishes ? wishes.providerId : `toy://${place}/${name}`;
  const described = {
    'node.kubernetes.io/instance-type': 'toy.large',
    'beta.kubernetes.io/instance-type': 'toy.large',
    'topology.kubernetes.io/zone': `${place}-a`,
    'failure-domain.beta.kubernetes.io/zone': `${place}-a`,
    'topology.kubernetes.io/region': place,
    'failure-domain.beta.kubernetes.io/region': place,
  };
  return withReady(
    {
      metadata: {
        name,
        uid: `uid-of-${name}`,
        resourceVersion: '1',
        creationTimestamp: new Date(startWallMs - ageMs).toISOString(),
        labels: { ...described, ...wishes.labels },
        annotations,
      },
      spec: {
        ...(providerId !== undefined && { providerID: providerId }),
        taints: (wishes.taints ?? []).map((each) => taints[each]),
      },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] },
    },
    ready,
  );
}

/** A Node that has just registered, with nothing of its instance. */
export function newNode(wishes: NodeWishes): Node {
  const node = knownNode({ providerId: undefined, ageMs: 0, taints: ['uninitialized'], ...wishes });
  return {
    ...node,
    metadata: { ...node.metadata, labels: wishes.labels ?? {} },
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
