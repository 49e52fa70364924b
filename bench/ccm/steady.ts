import { setTimeout as wait } from 'node:timers/promises';
import type { Contender } from './contenders.ts';
import { untilHeld } from './lease.ts';
import { initialise } from './initialise.ts';
import { startReplica } from './replica.ts';
import { samplesOf } from './section.ts';
import type { Sample, Scene, Section } from './section.ts';
import { beginTally } from './tally.ts';
import { freeLease } from './fleet.ts';

const count = 1_000;
const title = '1,000, nothing changes';
/** Whoever starts looks at all of them once; that is over by then, or has become what is usual. */
const settleMs = 20_000;
/** A shorter window could miss the one look in five minutes, so that everybody is made to look more often. */
const shortestUsualMinutes = 6;
const oftenFlag = '--node-status-update-frequency=30s';
const msPerMinute = 60_000;
const kbPerMb = 1_024;

/** What it costs to have nothing to do. */
export const steady: Section = {
  gates: [
    { variant: 'polycloud-ccm', metric: `${title}: cloud calls per minute`, atMost: 10 },
    { variant: 'polycloud-ccm', metric: `${title}: node and event writes per minute`, atMost: 0 },
  ],
  run: async (scene) => {
    const { place, contenders } = scene;
    const course = { count, knownBy: 'providerID', latencyMs: 60, settleMs: 0 } as const;
    await initialise(place, contenders.ours, course);
    const samples: Sample[] = [];
    for (const contender of [contenders.ours, contenders.byDefault]) {
      samples.push(...(await watchIdle(scene, contender)));
    }
    return samples;
  },
};

async function watchIdle(scene: Scene, contender: Contender): Promise<readonly Sample[]> {
  const { place, steadyMinutes, say } = scene;
  const isUsual = steadyMinutes >= shortestUsualMinutes;
  const args = async (): Promise<readonly string[]> => [...(await contender.args()), ...(isUsual ? [] : [oftenFlag])];
  await freeLease(place);
  const replica = await startReplica({ ...contender, args }, place);
  try {
    await untilHeld(place, replica);
    await wait(settleMs);
    const tally = await beginTally(place);
    await wait(steadyMinutes * msPerMinute);
    await replica.check();
    const calls = [...(await tally.cloudCalls()).values()].reduce((sum, each) => sum + each, 0);
    const writes = await tally.writes(contender.userAgent);
    say(`${title}, ${contender.name}: ${String(calls)} cloud calls in ${String(steadyMinutes)} minutes`);
    return samplesOf(contender.name, title, {
      'cloud calls per minute': calls / steadyMinutes,
      'node and event writes per minute': (writes.nodes + writes.events) / steadyMinutes,
      'lease writes per minute': writes.leases / steadyMinutes,
      'RssAnon at the end, MB': replica.rssAnonKb() / kbPerMb,
    });
  } finally {
    await replica.end('SIGTERM');
  }
}
