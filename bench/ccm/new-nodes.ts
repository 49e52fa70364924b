import type { Gate } from '../harness/gate.ts';
import type { BenchLimits } from './clouds/cloud.ts';
import { subjectsOf } from './subjects.ts';
import type { ControllerSubject } from './subjects.ts';
import { initialise } from './initialise.ts';
import type { Workload } from './initialise.ts';
import { toSamples } from '../harness/samples.ts';
import type { BenchSample } from '../harness/samples.ts';
import type { SectionContext, Section } from './section.ts';

const count = 1_000;
const base = { count, latencyMs: 60, settleMs: 3_000 } as const;

/** As EC2 usually answers, in 60 ms; the same for the others. Odd numbers of rounds, so that p50 is one of them. */
const workloads: readonly { readonly title: string; readonly rounds: number; readonly course: Workload }[] = [
  { title: '1,000 at once', rounds: 3, course: { ...base, knownBy: 'providerID' } },
  { title: '1,000 without providerID', rounds: 1, course: { ...base, knownBy: 'name' } },
  { title: '1,000 arriving, 100/s', rounds: 1, course: { ...base, knownBy: 'providerID', arrivingPerSecond: 100 } },
];
const near = '1,000 at once, the cloud at 0 ms';

/** Beside the peer with many workers. */
export const newNodes: Section = {
  gates: ({ fixture, subjects }) => [
    ...(subjects.tuned === undefined ? [] : gatesBesidePeer(fixture.cloud.limits)),
    ...gatesAlone(fixture.cloud.limits),
    ...workloads.flatMap(({ title, course: workload }) => [
      ...gatesOfCalls(title, workload, fixture.cloud.limits),
      gate(`${title}: schedulable without address`, { atMost: 0 }),
      gate(`${title}: node writes per node`, { atMost: 2 }),
    ]),
  ],
  run: async (context) => {
    const samples: BenchSample[] = [];
    const subjects = subjectsOf(context.subjects, 'tuned');
    for (const { title, rounds, course: workload } of workloads) {
      for (let round = 0; round < rounds; round += 1) {
        // Each round begins with another one: what drifts on the machine drifts for both.
        const order = round % 2 === 0 ? subjects : subjects.toReversed();
        for (const subject of order) samples.push(...(await run(context, subject, title, workload)));
      }
    }
    return samples;
  },
};

/** Beside the peer as it comes, which takes minutes: once. The cloud answers at once, which is kind to one that asks singly. */
export const newNodesByDefault: Section = {
  gates: ({ fixture, subjects }) => {
    const atMost = fixture.cloud.limits.ofDefaultPeer;
    if (subjects.byDefault === undefined || atMost === undefined) return [];
    return [gate(`${near}: initialised after, s`, { atMost, dividedBy: 'peer, default flags' })];
  },
  run: async (context) => {
    const workload = { ...base, knownBy: 'providerID', latencyMs: 0 } as const;
    const samples: BenchSample[] = [];
    for (const subject of subjectsOf(context.subjects, 'byDefault')) {
      samples.push(...(await run(context, subject, near, workload)));
    }
    return samples;
  },
};

function gatesBesidePeer({ ofTunedPeer, processorOfTunedPeer }: BenchLimits): readonly Gate[] {
  const dividedBy = 'peer, tuned';
  return [
    ...(ofTunedPeer ? [gate('1,000 at once: initialised after, s', { atMost: ofTunedPeer, dividedBy })] : []),
    ...(processorOfTunedPeer
      ? [gate('1,000 at once: processor time, s', { atMost: processorOfTunedPeer, dividedBy })]
      : []),
  ];
}

function gatesAlone({ initialisedS }: BenchLimits): readonly Gate[] {
  return initialisedS === undefined ? [] : [gate('1,000 at once: initialised after, s', { atMost: initialisedS })];
}

function gatesOfCalls(title: string, { arrivingPerSecond }: Workload, { cloudCalls }: BenchLimits): readonly Gate[] {
  if (cloudCalls === undefined || arrivingPerSecond !== undefined) return [];
  return [gate(`${title}: cloud calls`, { atMost: cloudCalls })];
}

function gate(metric: string, limit: Pick<Gate, 'atMost' | 'dividedBy'>): Gate {
  return { variant: 'polycloud-ccm', metric, ...limit };
}

async function run(
  { fixture, log }: SectionContext,
  subject: ControllerSubject,
  title: string,
  workload: Workload,
): Promise<readonly BenchSample[]> {
  const { values, calls } = await initialise(fixture, subject, workload);
  const callsText = [...calls].map(([operation, times]) => `${operation} ${times}×`).join(', ');
  log(`${title}, ${subject.name}: ${values['initialised after, s'].toFixed(1)} s; ${callsText}`);
  return toSamples(subject.name, title, values);
}
