import { setTimeout as wait } from 'node:timers/promises';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { subjectsOf } from './subjects.ts';
import type { ControllerSubject } from './subjects.ts';
import { clearCluster, registerNodes } from './fleet.ts';
import { leaseHolder, waitForLeader } from './lease.ts';
import { startReplica } from '../harness/replica.ts';
import type { Replica } from '../harness/replica.ts';
import { toSamples } from '../harness/samples.ts';
import type { BenchSample } from '../harness/samples.ts';
import type { SectionContext, Section } from './section.ts';
import { watchNodes } from '../harness/watch-nodes.ts';

const endSignals = { 'a kill': 'SIGKILL', 'a clean exit': 'SIGTERM' } as const;
const titles = Object.keys(endSignals) as readonly (keyof typeof endSignals)[];
/** The default of all contenders. */
const leaseS = 15;
const gates = { 'a kill': leaseS + 2, 'a clean exit': 2 };
const metric = 'the other initialises a new Node, s';
/** The other has connected, watches and waits for the lease by then. */
const readyMs = 5_000;
const withinMs = 60_000;
const msPerSecond = 1_000;

/** Two replicas with the default lease: how long no replica works after the leader ends. */
export const failOver: Section = {
  gates: () =>
    titles.map((title) => ({
      variant: 'polycloud-ccm',
      metric: `fail-over after ${title}: ${metric}`,
      atMost: gates[title],
    })),
  run: async (context) => {
    const samples: BenchSample[] = [];
    for (const title of titles) {
      for (const subject of subjectsOf(context.subjects, 'byDefault')) {
        samples.push(...(await failOverOnce(context, subject, title)));
      }
    }
    return samples;
  },
};

let failOverRounds = 50;

async function failOverOnce(
  { fixture, log }: SectionContext,
  subject: ControllerSubject,
  title: (typeof titles)[number],
): Promise<readonly BenchSample[]> {
  await clearCluster(fixture);
  const fleet = await fixture.cloud.launchFleet(1, (failOverRounds += 1));
  const first = await startReplica(subject, fixture);
  let second: Replica | undefined;
  const watch = await watchNodes(fixture);
  try {
    const holder = await waitForLeader(fixture, first);
    second = await startReplica(subject, fixture);
    await wait(readyMs);
    await Promise.all([first.check(), second.check()]);
    const endedAtMs = performance.now();
    const ended = first.end(endSignals[title]);
    await registerNodes(fixture, fleet, { knownBy: 'providerID' });
    const polling = { what: 'the other takes over', withinMs, everyMs: 20 };
    const takenAtMs = await waitUntil(polling, async () => {
      const now = await leaseHolder(fixture);
      return now === undefined || now === holder ? undefined : performance.now();
    });
    const doneAtMs = await waitUntil(polling, () =>
      Promise.resolve([...watch.observedNodes().values()][0]?.initialisedAtMs),
    );
    await ended;
    const values = { 'the other leads, s': takenAtMs, [metric]: doneAtMs };
    log(`fail-over after ${title}, ${subject.name}: ${((doneAtMs - endedAtMs) / msPerSecond).toFixed(1)} s`);
    const inSeconds = Object.entries(values).map(([name, atMs]) => [name, (atMs - endedAtMs) / msPerSecond] as const);
    return toSamples(subject.name, `fail-over after ${title}`, Object.fromEntries(inSeconds));
  } finally {
    await Promise.all([first.end('SIGKILL'), second?.end('SIGKILL')]);
    await watch.close();
  }
}
