import type { Gate } from '../harness/gate.ts';
import type { Contender } from './contenders.ts';
import { initialise } from './initialise.ts';
import type { Course } from './initialise.ts';
import { samplesOf } from './section.ts';
import type { Sample, Scene, Section } from './section.ts';

const count = 1_000;
const base = { count, latencyMs: 60, settleMs: 3_000 } as const;

/** As EC2 usually answers, in 60 ms. Odd numbers of rounds, so that p50 is one of them. */
const courses: readonly { readonly title: string; readonly rounds: number; readonly course: Course }[] = [
  { title: '1,000 at once', rounds: 3, course: { ...base, knownBy: 'providerID' } },
  { title: '1,000 without providerID', rounds: 1, course: { ...base, knownBy: 'name' } },
  { title: '1,000 arriving, 100/s', rounds: 1, course: { ...base, knownBy: 'providerID', arrivingPerSecond: 100 } },
];
const slow = '1,000 at once, EC2 at 0 ms';

/** Beside the peer with many workers. */
export const newNodes: Section = {
  gates: [
    gate('1,000 at once: initialised after, s', { atMost: 0.85, dividedBy: 'peer, tuned' }),
    gate('1,000 at once: processor time, s', { atMost: 1.4, dividedBy: 'peer, tuned' }),
    ...courses.flatMap(({ title, course }) => [
      gate(`${title}: schedulable without address`, { atMost: 0 }),
      gate(`${title}: node writes per node`, { atMost: 2 }),
      ...(course.arrivingPerSecond === undefined ? [gate(`${title}: cloud calls`, { atMost: count / 100 })] : []),
    ]),
  ],
  run: async (scene) => {
    const samples: Sample[] = [];
    const { ours, tuned } = scene.contenders;
    for (const { title, rounds, course } of courses) {
      for (let round = 0; round < rounds; round += 1) {
        // Each round begins with another one: what drifts on the machine drifts for both.
        const order = round % 2 === 0 ? [ours, tuned] : [tuned, ours];
        for (const contender of order) samples.push(...(await run(scene, contender, title, course)));
      }
    }
    return samples;
  },
};

/** Beside the peer as it comes, which takes minutes: once. EC2 answers at once, which is kind to one that asks singly. */
export const newNodesByDefault: Section = {
  gates: [gate(`${slow}: initialised after, s`, { atMost: 0.06, dividedBy: 'peer, default flags' })],
  run: async (scene) => {
    const course = { ...base, knownBy: 'providerID', latencyMs: 0 } as const;
    const { ours, byDefault } = scene.contenders;
    const samples: Sample[] = [];
    for (const contender of [ours, byDefault]) samples.push(...(await run(scene, contender, slow, course)));
    return samples;
  },
};

function gate(metric: string, bar: Pick<Gate, 'atMost' | 'dividedBy'>): Gate {
  return { variant: 'polycloud-ccm', metric, ...bar };
}

async function run(
  { place, say }: Scene,
  contender: Contender,
  title: string,
  course: Course,
): Promise<readonly Sample[]> {
  const values = await initialise(place, contender, course);
  say(`${title}, ${contender.name}: ${values['initialised after, s'].toFixed(1)} s`);
  return samplesOf(contender.name, title, values);
}
