import { createKubernetesCluster } from '../../../../ccm/node-controller/kubernetes-cluster.ts';
import { createWrites } from '../../../../ccm/node-controller/writes.ts';
import { createNodeController } from '../../../../ccm/node-controller/controller.ts';
import type { NodeController } from '../../../../ccm/node-controller/controller.ts';
import { defaultSettings } from '../../../../ccm/lifecycle/settings.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { silentLog } from '../../../support/logs.ts';
import { contextOn, knownNode, newNode, startWallMs, withReady } from '../harness.ts';
import { createMemoryApiServer, fail } from '../memory-api-server.ts';
import type { RequestHooks } from '../request-hooks.ts';
import { createFaultyCloud, isAlive } from './faulty-cloud.ts';
import type { Machine, Place, PlaceMode } from './faulty-cloud.ts';
import { createChecks } from './checks.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

export interface SimulationResult {
  /** What must never be. */
  readonly violations: readonly string[];
  readonly initialized: number;
  readonly deleted: number;
  readonly tainted: number;
}

const steps = 40;
const sliceMs = 500;
const settleMs = 400_000;

/** One run of chance: the same label gives the same run. */
export async function simulate(label: string): Promise<SimulationResult> {
  const random = createRandom(label);
  const clock = createFakeClock(startWallMs);
  const clouds = ['one', 'two'].map((name) => createFaultyCloud({ name, clock, random, ...randomTraits(random) }));
  const machineOf = new Map<string, Machine>();
  const settings = {
    nodeMonitorPeriodMs: 5_000,
    nodeStatusUpdateFrequencyMs: random.pick([60_000, 300_000]),
    agentHeadStartMs: random.pick([0, 0, 30_000]),
    lifecycle: defaultSettings,
    controllers: { node: true, lifecycle: true },
  };
  const counts = { initialized: 0, deleted: 0, tainted: 0 };
  const newController = (): NodeController =>
    createNodeController({
      clouds,
      settings,
      clock,
      random: random.next,
      log: silentLog,
      metrics: {
        countLookup: () => {},
        countCloudRequest: () => {},
        countDecision: () => {},
        observeInitialization: () => void (counts.initialized += 1),
        countWrites: (kind) => void (counts.tainted += Number(kind === 'taint')),
        countDeletion: () => void (counts.deleted += 1),
        setBreaker: () => {},
      },
      contextFor: (signal) => contextOn(clock, signal),
    });
  const api = createMemoryApiServer(faultyRequests(() => simulation));
  const simulation: SimulatedCluster = {
    clock,
    random,
    api,
    clouds,
    machineOf,
    headStartMs: settings.agentHeadStartMs,
    controller: newController(),
    apiHealthyAtMs: 0,
    ledSinceMs: 0,
  };
  const checks = createChecks(simulation);
  api.onChange((kind, node) => {
    if (kind === 'changed') simulation.controller.nodeChanged(node);
    else simulation.controller.nodeRemoved(node.metadata.uid);
  });
  let lead = startLead(simulation);
  for (let count = random.between(0, 40); count > 0; count -= 1) addKnownNode(simulation);
  const pass = async (durationMs: number): Promise<void> => {
    for (let passedMs = 0; passedMs < durationMs; passedMs += sliceMs) {
      await clock.advance(sliceMs);
      checks.look();
    }
  };
  for (let step = 0; step < steps && checks.violations.length === 0; step += 1) {
    applyRandomEvent(simulation);
    if (random.chance(0.02)) {
      await lead.end();
      if (random.chance(0.5)) restart(simulation, newController());
      simulation.ledSinceMs = clock.monotonicMs();
      lead = startLead(simulation);
    }
    await pass(random.between(0, 12_000));
  }
  for (const place of clouds.flatMap(({ places }) => places)) setMode(place, 'healthy', simulation);
  if (simulation.apiHealthyAtMs === Infinity) simulation.apiHealthyAtMs = clock.monotonicMs();
  if (checks.violations.length === 0) await pass(settleMs);
  await lead.end();
  return { violations: checks.violations, ...counts };
}

/** As another process would begin. */
function restart(simulation: SimulatedCluster, controller: NodeController): void {
  for (const { node } of simulation.controller.nodes().values()) controller.nodeChanged(node);
  simulation.controller = controller;
}

function randomTraits(random: Random): Omit<Parameters<typeof createFaultyCloud>[0], 'name' | 'clock' | 'random'> {
  return {
    placeCount: random.between(1, 2),
    batchMax: random.pick([1, 3, 20, 500]),
    requestCount: random.pick([1, 1, 3, 8]),
    requestsAtOnce: random.chance(0.5),
    obeysSignals: random.chance(0.8),
    hasUnread: random.chance(0.2),
  };
}

/** Requests to the API server take a moment, and fail before or after they have had their effect. */
function faultyRequests(simulation: () => SimulatedCluster): RequestHooks {
  return {
    run: async () => {
      const { clock, random, apiHealthyAtMs } = simulation();
      await clock.sleep(random.between(0, 60), new AbortController().signal);
      if (apiHealthyAtMs === Infinity && random.chance(0.5)) fail(random.pick(['unavailable', 'conflict'] as const));
    },
    on: () => {},
    pending: () => [],
  };
}

function startLead({ clock, api, controller }: SimulatedCluster): { end(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const mayWrite = (): boolean => !signal.aborted;
  const writes = createWrites({ limits: { atOnce: 50, perSecond: 0, burst: 1 }, clock, signal, mayWrite });
  const permissions = { signal, mayWrite, maxWriteMs: 30_000 };
  const parts = { client: api.client, writes, clock, ...permissions, component: 'test', instance: 'test' };
  const leading = controller.lead(signal, createKubernetesCluster(parts));
  const end = async (): Promise<void> => {
    ending.abort(new Error('the lead has ended'));
    const ended = new AbortController();
    const ends = leading.then(() => ended.abort());
    for (let waits = 0; waits < 100 && !ended.signal.aborted; waits += 1) await clock.advance(100);
    if (!ended.signal.aborted) throw new Error('the lead does not end');
    await ends;
  };
  return { end };
}

function applyRandomEvent(simulation: SimulatedCluster): void {
  const { random, clouds, api, clock } = simulation;
  const place = random.pick(clouds.flatMap(({ places }) => places));
  const names = [...simulation.machineOf.keys()].filter((name) => api.node(name) !== undefined);
  const name = names.length === 0 ? undefined : random.pick(names);
  const machine = name === undefined ? undefined : simulation.machineOf.get(name);
  const setReady = (ready: boolean): void => {
    if (name !== undefined) api.change(name, (node) => withReady(node, ready));
  };
  const modes: readonly PlaceMode[] = ['failing', 'throttling', 'hanging', 'stranger', 'partial', 'denied'];
  const events: readonly (readonly [weight: number, event: () => void])[] = [
    [4, () => {}],
    [6, () => addNewNode(simulation)],
    [2, () => addNewNodes(simulation, random.between(2, 12))],
    [3, () => setMode(place, random.pick(modes), simulation)],
    [5, () => setMode(place, 'healthy', simulation)],
    [1, () => (simulation.apiHealthyAtMs = Infinity)],
    [3, () => void (simulation.apiHealthyAtMs = Math.min(simulation.apiHealthyAtMs, clock.monotonicMs()))],
    [3, () => end(random.pick(['stopped', 'terminated', 'deleted']))],
    [2, () => machine?.status === 'stopped' && (machine.status = 'running')],
    [2, () => setReady(machine?.status === 'running')],
    [2, () => setReady(false)],
    [2, () => hide(random.between(0, 45_000))],
    [1, () => name !== undefined && api.delete(name)],
  ];
  random.pickWeighted(events)();

  function hide(durationMs: number): void {
    if (machine !== undefined) machine.hiddenUntilMs = clock.monotonicMs() + durationMs;
  }

  function end(status: Machine['status']): void {
    if (machine === undefined || !isAlive(machine)) return;
    machine.status = status;
    setReady(false);
  }
}

function setMode(place: Place, mode: PlaceMode, { clock, random }: SimulatedCluster): void {
  if (mode !== 'healthy') place.healthyAtMs = Infinity;
  else if (place.mode !== 'healthy') place.healthyAtMs = clock.monotonicMs();
  place.mode = mode;
  place.retryAfterMs = random.pick([undefined, 0, 1_000, 60_000, 120_000]);
}

function addMachine({ random, clouds, machineOf }: SimulatedCluster, name: string): Machine {
  const cloud = random.pick(clouds);
  const { key } = random.pick(cloud.places);
  const providerId = `${key.replace('/', '://')}/${name}`;
  const machine: Machine = { providerId, placeKey: key, status: 'running', hiddenUntilMs: 0 };
  cloud.machines.set(providerId, machine);
  machineOf.set(name, machine);
  return machine;
}

function addKnownNode(simulation: SimulatedCluster): void {
  const { random, api, machineOf } = simulation;
  const name = `known-${machineOf.size}`;
  const machine = addMachine(simulation, name);
  const ready = random.chance(0.6);
  if (!ready) machine.status = random.pick(['running', 'running', 'stopped']);
  api.put(knownNode({ name, providerId: machine.providerId, ready }));
}

function addNewNodes(simulation: SimulatedCluster, count: number): void {
  for (let left = count; left > 0; left -= 1) addNewNode(simulation);
}

function addNewNode(simulation: SimulatedCluster): void {
  const { random, api, machineOf, clock } = simulation;
  const name = `new-${machineOf.size}`;
  const machine = addMachine(simulation, name);
  const providerId = random.chance(0.6) ? machine.providerId : undefined;
  const node = newNode({ name, providerId, ready: random.chance(0.5) });
  const creationTimestamp = new Date(clock.wallMs()).toISOString();
  api.put({ ...node, metadata: { ...node.metadata, creationTimestamp } });
}
