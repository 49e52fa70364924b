import { setTimeout as wait } from 'node:timers/promises';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import type { Contender } from './contenders.ts';
import { clear, launchFleet, register } from './fleet.ts';
import { untilHeld } from './lease.ts';
import { watchPeak } from './memory-peak.ts';
import { setLatency } from './place.ts';
import type { Place } from './place.ts';
import { startReplica } from './replica.ts';
import type { Replica } from './replica.ts';
import { beginTally } from './tally.ts';
import type { Tally } from './tally.ts';
import { watchNodes } from './watch-nodes.ts';
import type { NodeWatch } from './watch-nodes.ts';

export interface Course {
  readonly count: number;
  readonly knownBy: 'providerID' | 'name';
  readonly latencyMs: number;
  /** Absent: all Nodes are there before the controller is started. */
  readonly arrivingPerSecond?: number;
  /** How long the controller is left alone afterwards; its memory is read at the end of that. */
  readonly settleMs: number;
}

/** New Nodes until all are initialised. */
export type Initialised = Readonly<Record<(typeof metrics)[number], number>>;

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

export async function initialise(place: Place, contender: Contender, course: Course): Promise<Initialised> {
  await clear(place);
  const fleet = await launchFleet(place, course.count, nextFleet());
  await setLatency(place, course.latencyMs);
  const watch = await watchNodes(place);
  const pace = { knownBy: course.knownBy, perSecond: course.arrivingPerSecond };
  let replica: Replica | undefined;
  try {
    const arrivesFirst = course.arrivingPerSecond === undefined;
    if (arrivesFirst) await register(place, fleet, pace);
    const tally = await beginTally(place);
    const startedAtMs = performance.now();
    replica = await startReplica(contender, place);
    const peak = watchPeak(replica);
    if (!arrivesFirst) await untilHeld(place, replica);
    const arrivals = arrivesFirst ? undefined : register(place, fleet, pace);
    await Promise.all([arrivals, untilAll(watch, course.count, replica)]);
    const peakKb = peak.peakKb();
    await wait(course.settleMs);
    const times = timesOf(watch, arrivesFirst ? startedAtMs : undefined);
    return { ...times, ...(await countsOf(tally, contender, course)), ...usageOf(peakKb, replica) };
  } finally {
    await replica?.end('SIGTERM');
    await watch.close();
  }
}

let fleets = 0;

/** Nobody has seen its ids before. */
function nextFleet(): number {
  fleets += 1;
  return fleets;
}

const withinMs = 900_000;

async function untilAll(watch: NodeWatch, count: number, replica: Replica): Promise<void> {
  await waitUntil({ what: `${String(count)} Nodes are initialised`, withinMs, everyMs: 50 }, async () => {
    await replica.check();
    const done = [...watch.sightings().values()].filter(({ initialisedAtMs }) => initialisedAtMs !== undefined);
    return done.length >= count ? true : undefined;
  });
}

const msPerSecond = 1_000;
const kbPerMb = 1_024;

type Times = Pick<Initialised, 'initialised after, s' | 'after the last came, s' | 'schedulable without address'>;

/** From the start of the process or, where the Nodes come later, from the first of them. */
function timesOf(watch: NodeWatch, startedAtMs: number | undefined): Times {
  const all = [...watch.sightings().values()];
  const created = all.map(({ createdAtMs }) => createdAtMs);
  const last = Math.max(...all.map(({ initialisedAtMs }) => initialisedAtMs ?? Number.NaN));
  const lastCame = Math.max(...created, startedAtMs ?? -Infinity);
  return {
    'initialised after, s': (last - (startedAtMs ?? Math.min(...created))) / msPerSecond,
    'after the last came, s': (last - lastCame) / msPerSecond,
    'schedulable without address': all.filter(({ wasBare }) => wasBare).length,
  };
}

type Counts = Pick<Initialised, 'cloud calls' | 'topology calls' | 'node writes per node' | 'event writes per node'>;

async function countsOf(tally: Tally, { userAgent }: Contender, { count }: Course): Promise<Counts> {
  const calls = await tally.cloudCalls();
  const topology = calls.get('DescribeInstanceTopology') ?? 0;
  const all = [...calls.values()].reduce((sum, each) => sum + each, 0);
  const writes = await tally.writes(userAgent);
  return {
    'cloud calls': all - topology,
    'topology calls': topology,
    'node writes per node': writes.nodes / count,
    'event writes per node': writes.events / count,
  };
}

type Usage = Pick<Initialised, 'processor time, s' | 'peak RssAnon, MB' | 'settled RssAnon, MB'>;

function usageOf(peakKb: number, replica: Replica): Usage {
  return {
    'processor time, s': replica.cpuS(),
    'peak RssAnon, MB': peakKb / kbPerMb,
    'settled RssAnon, MB': replica.rssAnonKb() / kbPerMb,
  };
}
