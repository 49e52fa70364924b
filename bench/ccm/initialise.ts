import { setTimeout as wait } from 'node:timers/promises';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import type { ControllerSubject } from './subjects.ts';
import { clearCluster, registerNodes } from './fleet.ts';
import { waitForLeader } from './lease.ts';
import { watchPeak } from '../harness/memory-peak.ts';
import type { ControllerFixture } from './fixture.ts';
import { startReplica } from '../harness/replica.ts';
import type { Replica } from '../harness/replica.ts';
import { startCounting } from './call-counts.ts';
import type { WriteCounts } from './call-counts.ts';
import { watchNodes } from '../harness/watch-nodes.ts';
import type { NodeWatch } from '../harness/watch-nodes.ts';

export interface Workload {
  readonly count: number;
  readonly knownBy: 'providerID' | 'name';
  readonly latencyMs: number;
  /** Absent: all Nodes are there before the controller is started. */
  readonly arrivingPerSecond?: number;
  /** How long the controller is left alone afterwards; its memory is read at the end of that. */
  readonly settleMs: number;
}

/** New Nodes until all are initialised. */
export type InitialiseResult = Readonly<Record<(typeof metrics)[number], number>>;

const metrics = [
  'initialised after, s',
  'after the last came, s',
  'cloud calls',
  'topology calls',
  'node writes per node',
  'event writes per node',
  'schedulable without address',
  'processor time, s',
  'peak RssAnon, MB',
  'settled RssAnon, MB',
] as const;

export interface InitialiseRun {
  readonly values: InitialiseResult;
  /** To the cloud, by operation. */
  readonly calls: ReadonlyMap<string, number>;
}

export async function initialise(
  fixture: ControllerFixture,
  subject: ControllerSubject,
  workload: Workload,
): Promise<InitialiseRun> {
  await clearCluster(fixture);
  const fleet = await fixture.cloud.launchFleet(workload.count, nextFleet());
  await fixture.cloud.setLatency(workload.latencyMs);
  const watch = await watchNodes(fixture);
  const options = { knownBy: workload.knownBy, perSecond: workload.arrivingPerSecond };
  let replica: Replica | undefined;
  try {
    const arrivesFirst = workload.arrivingPerSecond === undefined;
    if (arrivesFirst) await registerNodes(fixture, fleet, options);
    const counter = await startCounting(fixture);
    const startedAtMs = performance.now();
    replica = await startReplica(subject, fixture);
    const peak = watchPeak(replica);
    if (!arrivesFirst) await waitForLeader(fixture, replica);
    const arrivals = arrivesFirst ? undefined : registerNodes(fixture, fleet, options);
    await Promise.all([arrivals, waitForAll(watch, workload.count, replica)]);
    const peakKb = peak.peakKb();
    await wait(workload.settleMs);
    const times = timesOf(watch, arrivesFirst ? startedAtMs : undefined);
    const calls = await counter.cloudCalls();
    const counts = countsOf(calls, await counter.writes(subject.userAgent), workload);
    return { values: { ...times, ...counts, ...usageOf(peakKb, replica) }, calls };
  } finally {
    await replica?.end('SIGTERM');
    await watch.close();
  }
}

let fleets = 0;

/** No subject has seen its ids before. */
function nextFleet(): number {
  fleets += 1;
  return fleets;
}

const withinMs = 900_000;

async function waitForAll(watch: NodeWatch, count: number, replica: Replica): Promise<void> {
  await waitUntil({ what: `${String(count)} Nodes are initialised`, withinMs, everyMs: 50 }, async () => {
    await replica.check();
    const done = [...watch.observedNodes().values()].filter(({ initialisedAtMs }) => initialisedAtMs !== undefined);
    return done.length >= count ? true : undefined;
  });
}

const msPerSecond = 1_000;
const kbPerMb = 1_024;

type Times = Pick<InitialiseResult, 'initialised after, s' | 'after the last came, s' | 'schedulable without address'>;

/** From the start of the process or, where the Nodes come later, from the first of them. */
function timesOf(watch: NodeWatch, startedAtMs: number | undefined): Times {
  const all = [...watch.observedNodes().values()];
  const created = all.map(({ createdAtMs }) => createdAtMs);
  const last = Math.max(...all.map(({ initialisedAtMs }) => initialisedAtMs ?? Number.NaN));
  const lastCame = Math.max(...created, startedAtMs ?? -Infinity);
  return {
    'initialised after, s': (last - (startedAtMs ?? Math.min(...created))) / msPerSecond,
    'after the last came, s': (last - lastCame) / msPerSecond,
    'schedulable without address': all.filter(({ wasWithoutAddress: wasBare }) => wasBare).length,
  };
}

type Counts = Pick<
  InitialiseResult,
  'cloud calls' | 'topology calls' | 'node writes per node' | 'event writes per node'
>;

function countsOf(calls: InitialiseRun['calls'], writes: WriteCounts, { count }: Workload): Counts {
  const topology = calls.get('DescribeInstanceTopology') ?? 0;
  const all = [...calls.values()].reduce((sum, each) => sum + each, 0);
  return {
    'cloud calls': all - topology,
    'topology calls': topology,
    'node writes per node': writes.nodes / count,
    'event writes per node': writes.events / count,
  };
}

type Usage = Pick<InitialiseResult, 'processor time, s' | 'peak RssAnon, MB' | 'settled RssAnon, MB'>;

function usageOf(peakKb: number, replica: Replica): Usage {
  return {
    'processor time, s': replica.cpuS(),
    'peak RssAnon, MB': peakKb / kbPerMb,
    'settled RssAnon, MB': replica.rssAnonKb() / kbPerMb,
  };
}
