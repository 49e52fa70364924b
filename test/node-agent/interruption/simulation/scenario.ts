import type { Notice } from '../../../../clouds/cloud.ts';
import { interruptionSettings } from '../../../../node-agent/interruption/settings.ts';
import type { Random } from '../../../support/random.ts';
import { nowMs, secondMs } from '../notices.ts';

/** Short times, so that much happens in a simulated minute. */
export const settings = interruptionSettings('drain', 'aws', {
  drainAheadMs: 60 * secondMs,
  marginMs: 5 * secondMs,
  unknownTimeMs: 40 * secondMs,
  adviceMs: 50 * secondMs,
});

/** What happens on one machine, by seconds after the start. */
export interface Scenario {
  readonly notices: readonly PlannedNotice[];
  readonly pods: readonly PlannedPod[];
  readonly troubles: readonly Trouble[];
  /** The agent is stopped, and the next one starts. */
  readonly restarts: readonly Span[];
  /** Another writer changes the Node, so that our writes conflict. */
  readonly otherWrites: readonly number[];
  readonly hasCordonOfPerson: boolean;
}

export interface Span {
  readonly fromS: number;
  readonly untilS: number;
}

export interface PlannedNotice extends Span {
  readonly notice: Notice;
}

export interface PlannedPod {
  readonly name: string;
  readonly graceSeconds: number;
  readonly order: number;
  readonly stays: boolean;
  /** Absent: its budget allows its eviction. */
  readonly budgetOpensAtS?: number;
  /** It tolerates the cordon. Absent: it is there from the start. */
  readonly comesAtS?: number;
}

/** A part does not work for a while. */
export interface Trouble extends Span {
  readonly kind: 'metadata' | 'source' | 'node-writes' | 'node-hangs' | 'pods-throttled' | 'pods-fail' | 'pods-hang';
}

/** All notices are gone by then. */
const noticesEndS = 240;
export const scenarioEndS = 300;
export const sources = ['spot', 'scheduled-events', 'rebalance'] as const;

export function createScenario(random: Random): Scenario {
  const list = <T>(most: number, make: (at: number) => T): readonly T[] =>
    Array.from({ length: random.between(0, most) }, (_, at) => make(at));
  const span = (longestS: number): Span => {
    const fromS = random.between(0, noticesEndS - 2);
    return { fromS, untilS: Math.min(noticesEndS, fromS + random.between(1, longestS)) };
  };
  return {
    notices: Array.from({ length: random.between(1, 4) }, (_, at) => planNotice(`n-${String(at)}`, random, span(150))),
    pods: list(8, (at) => planPod(`p${String(at)}`, random)),
    troubles: list(5, () => ({ ...span(40), kind: random.pick(troubleKinds) })),
    restarts: list(3, () => span(20)),
    otherWrites: list(5, () => random.between(0, scenarioEndS)),
    hasCordonOfPerson: random.chance(0.2),
  };
}

const troubleKinds: readonly Trouble['kind'][] = [
  'metadata',
  'source',
  'node-writes',
  'node-hangs',
  'pods-throttled',
  'pods-fail',
  'pods-hang',
];

function planNotice(id: string, random: Random, span: Span): PlannedNotice {
  const effect = random.pickWeighted([
    [4, 'ends'],
    [3, 'restarts'],
    [1, 'pauses'],
    [2, 'may-end'],
  ] as const);
  const aheadS = random.pickWeighted([
    [2, undefined],
    [2, random.between(-30, 30)],
    [4, random.between(30, 120)],
  ]);
  const notice: Notice = {
    id,
    source: random.pick(sources),
    effect,
    state: 'announced',
    ...(aheadS !== undefined && { atMs: nowMs + (span.fromS + aheadS) * secondMs }),
    ...(random.chance(0.2) && { withinMs: 45 * secondMs }),
    onlyThisInstance: random.chance(0.5),
    vendorText: `notice ${id}`,
  };
  return { ...span, notice };
}

function planPod(name: string, random: Random): PlannedPod {
  return {
    name,
    graceSeconds: random.pick([0, 1, 5, 30, 30, 30, 90, 600]),
    order: random.pickWeighted([
      [6, 0],
      [1, -1],
      [1, 10],
    ]),
    stays: random.chance(0.15),
    ...(random.chance(0.4) && { budgetOpensAtS: random.pick([random.between(0, scenarioEndS), Infinity]) }),
    ...(random.chance(0.15) && { comesAtS: random.between(1, noticesEndS) }),
  };
}

export function holds({ fromS, untilS }: Span, second: number): boolean {
  return second >= fromS && second < untilS;
}

export function troublesAt({ troubles }: Scenario, second: number): ReadonlySet<Trouble['kind']> {
  return new Set(troubles.filter((span) => holds(span, second)).map(({ kind }) => kind));
}
