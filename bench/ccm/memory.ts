import { initialise } from './initialise.ts';
import { toSamples } from '../harness/samples.ts';
import { subjectsOf } from './subjects.ts';
import type { BenchSample } from '../harness/samples.ts';
import type { Section } from './section.ts';

const sizes = [1_000, 5_000];
/** Both have collected their garbage by then and given back what they give back. */
const settleMs = 30_000;
const metrics = ['peak RssAnon, MB', 'settled RssAnon, MB'] as const;

/** From the start with that many new Nodes until half a minute after the last of them. */
export const memory: Section = {
  gates: ({ subjects }) => (subjects.tuned === undefined ? [] : gatesBesidePeer),
  run: async ({ fixture, subjects, log }) => {
    const samples: BenchSample[] = [];
    for (const count of sizes) {
      for (const subject of subjectsOf(subjects, 'tuned')) {
        const workload = { count, knownBy: 'providerID', latencyMs: 60, settleMs } as const;
        const { values } = await initialise(fixture, subject, workload);
        const [peak, settled] = metrics.map((metric) => `${values[metric].toFixed(0)} MB`);
        log(`${titleOf(count)}, ${subject.name}: peak ${String(peak)}, settled ${String(settled)}`);
        const shown = [...metrics, 'initialised after, s', 'cloud calls', 'node writes per node'] as const;
        const kept = Object.fromEntries(shown.map((metric) => [metric, values[metric]]));
        samples.push(...toSamples(subject.name, titleOf(count), kept));
      }
    }
    return samples;
  },
};

const gatesBesidePeer = sizes.flatMap((count) =>
  metrics.map((metric) => ({
    variant: 'polycloud-ccm',
    metric: `${titleOf(count)}: ${metric}`,
    dividedBy: 'peer, tuned',
    atMost: 1,
  })),
);

function titleOf(count: number): string {
  return `memory at ${count.toLocaleString('en-US')}`;
}
