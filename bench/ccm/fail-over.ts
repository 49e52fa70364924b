import { setTimeout as wait } from 'node:timers/promises';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import type { Contender } from './contenders.ts';
import { clear, launchFleet, register } from './fleet.ts';
import { holderOf, untilHeld } from './lease.ts';
import { startReplica } from './replica.ts';
import type { Replica } from './replica.ts';
import { samplesOf } from './section.ts';
import type { Sample, Scene, Section } from './section.ts';
import { watchNodes } from './watch-nodes.ts';

const ends = { 'a kill': 'SIGKILL', 'a clean exit': 'SIGTERM' } as const;
const titles = Object.keys(ends) as readonly (keyof typeof ends)[];
/** The default of all contenders. */
const leaseS = 15;
const gates = { 'a kill': leaseS + 2, 'a clean exit': 2 };
const metric = 'the other initialises a new Node, s';
/** The other has connected, watches and waits for the lease by then. */
const readyMs = 5_000;
const withinMs = 60_000;
const msPerSecond = 1_000;

/** Two replicas, the default lease; how long nobody does the work when the one that leads ends. */
export const failOver: Section = {
  gates: titles.map((title) => ({
    variant: 'polycloud-ccm',
    metric: `fail-over after ${title}: ${metric}`,
    atMost: gates[title],
  })),
  run: async (scene) => {
    const samples: Sample[] = [];
    for (const title of titles) {
      for (const contender of [scene.contenders.ours, scene.contenders.byDefault]) {
        samples.push(...(await failOverOnce(scene, contender, title)));
      }
    }
    return samples;
  },
};

let rounds = 50;

async function failOverOnce(
  { place, say }: Scene,
  contender: Contender,
  title: (typeof titles)[number],
): Promise<readonly Sample[]> {
  await clear(place);
  const fleet = await launchFleet(place, 1, (rounds += 1));
  const first = await startReplica(contender, place);
  let second: Replica | undefined;
  const watch = await watchNodes(place);
  try {
    const holder = await untilHeld(place, first);
    second = await startReplica(contender, place);
    await wait(readyMs);
    await Promise.all([first.check(), second.check()]);
    const endedAtMs = performance.now();
    const ended = first.end(ends[title]);
    await register(place, fleet, { knownBy: 'providerID' });
    const patience = { what: 'the other takes over', withinMs, everyMs: 20 };
    const takenAtMs = await waitUntil(patience, async () => {
      const now = await holderOf(place);
      return now === undefined || now === holder ? undefined : performance.now();
    });
    const doneAtMs = await waitUntil(patience, () =>
      Promise.resolve([...watch.sightings().values()][0]?.initialisedAtMs),
    );
    await ended;
    const values = { 'the other leads, s': takenAtMs, [metric]: doneAtMs };
    say(`fail-over after ${title}, ${contender.name}: ${((doneAtMs - endedAtMs) / msPerSecond).toFixed(1)} s`);
    const inSeconds = Object.entries(values).map(([name, atMs]) => [name, (atMs - endedAtMs) / msPerSecond] as const);
    return samplesOf(contender.name, `fail-over after ${title}`, Object.fromEntries(inSeconds));
  } finally {
    await Promise.all([first.end('SIGKILL'), second?.end('SIGKILL')]);
    await watch.close();
  }
}
