import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import type { ModelObservation, ModelStep } from './model.ts';

/** All that may happen in one exploration. Several small ones together are as thorough as a large one that never ends. */
export interface Alphabet {
  readonly name: string;
  readonly promised: LifecycleSettings;
  readonly steps: readonly ModelStep[];
  readonly maxLagMs: number;
  readonly clockGoesBackMs: number;
}

/** Limits of a few ticks of 1 ms, so that every age below, at and above each of them is met. */
const shortLimits: LifecycleSettings = {
  ...defaultSettings,
  sightingsApartMs: 1,
  notFoundSightings: 2,
  notFoundSpanMs: 1,
  notFoundMinAgeMs: 0,
  breakerNodes: 1,
  breakerPercent: 0,
  breakerWindowMs: 3,
  terminatedNodesPerWindow: 1,
  terminatedPercentPerWindow: 0,
  terminatedWindowMs: 3,
};

/** Nobody else counts. */
const singleNodeLimits: LifecycleSettings = {
  ...shortLimits,
  sightingsApartMs: 2,
  notFoundSightings: 3,
  notFoundSpanMs: 5,
  breakerNodes: 9,
  breakerWindowMs: 1,
  terminatedNodesPerWindow: 9,
  terminatedWindowMs: 1,
};

const plainObservation: ModelObservation = {
  ready: false,
  known: true,
  ownership: 'ours',
  status: 'nothing',
  canary: 'good',
  lagMs: 0,
  scopeState: 'as-it-was',
  neighbourStatus: 'nothing',
  confirm: 'nothing',
};

type Choices = { readonly [Name in keyof ModelObservation]?: readonly ModelObservation[Name][] };

const commonSteps: readonly ModelStep[] = [{ do: 'tick' }, { do: 'restart' }, { do: 'replace' }];
const otherCanaries: readonly ModelObservation['canary'][] = [
  'none, verified',
  'bad, yet verified',
  'none, not verified',
  'none, nobody asked',
];

/** Both words and everything that may go along with them; of the scope only what it lets go. */
const node: Alphabet = {
  name: 'the node',
  promised: { ...singleNodeLimits, notFoundMinAgeMs: 6 },
  maxLagMs: 0,
  clockGoesBackMs: 0,
  steps: [
    ...commonSteps,
    ...observations({ ready: [false, true], known: [true, false] }),
    ...observations({ status: ['running', 'stopped', 'unknown', 'ambiguous'], canary: ['good', 'bad'] }),
    ...observations({
      status: ['terminated', 'not-found'],
      ready: [false, true],
      known: [true, false],
      canary: ['good', 'bad'],
    }),
    ...observations({ status: ['terminated', 'not-found'], canary: otherCanaries }),
    ...observations({ status: ['terminated', 'not-found'], scopeState: ['stopped', 'slowed'] }),
    ...observations({ status: ['terminated', 'not-found'], ownership: ['foreign'] }),
  ],
};

/** Answers that are older than what was seen of the Node meanwhile. */
const slowAnswers: Alphabet = {
  name: 'slow answers',
  promised: { ...singleNodeLimits, sightingsApartMs: 1, notFoundSpanMs: 3 },
  maxLagMs: 1,
  clockGoesBackMs: 0,
  steps: [
    ...commonSteps,
    ...observations({ ready: [false, true] }),
    ...observations({ status: ['running', 'unknown'] }),
    ...observations({
      status: ['terminated', 'not-found'],
      ready: [false, true],
      canary: ['good', 'bad'],
      lagMs: [0, 1],
    }),
  ],
};

const clockBack: Alphabet = {
  name: 'a clock that goes back',
  promised: { ...singleNodeLimits, sightingsApartMs: 1, notFoundSpanMs: 3 },
  maxLagMs: 0,
  clockGoesBackMs: 1,
  steps: [
    ...commonSteps,
    { do: 'clock-back' },
    ...observations({ ready: [false, true] }),
    ...observations({ status: ['running', 'unknown'] }),
    ...observations({ status: ['terminated', 'not-found'], canary: ['good', 'bad'] }),
  ],
};

/** The node and a neighbour, of which two together are too many. */
const breaker: Alphabet = {
  name: 'the breaker',
  promised: { ...shortLimits, breakerWindowMs: 2 },
  maxLagMs: 0,
  clockGoesBackMs: 0,
  steps: [
    { do: 'tick' },
    { do: 'restart' },
    { do: 'remove-neighbour' },
    ...observations({ ready: [true], status: ['nothing', 'not-found'] }),
    ...observations({ status: ['running', 'unknown'], neighbourStatus: ['nothing', 'running', 'not-found'] }),
    ...observations({
      status: ['not-found'],
      neighbourStatus: ['nothing', 'running', 'not-found'],
      confirm: ['nothing', 'current', 'old'],
    }),
    ...observations({ status: ['not-found'], neighbourStatus: ['not-found'], confirm: ['current, on a healthy Node'] }),
    ...observations({ status: ['not-found'], canary: ['bad'], neighbourStatus: ['nothing', 'not-found'] }),
  ],
};

/** One node after the other goes missing under the same name. */
const replacements: Alphabet = {
  name: 'replacements',
  promised: { ...shortLimits, breakerWindowMs: 2 },
  maxLagMs: 0,
  clockGoesBackMs: 0,
  steps: [
    ...commonSteps,
    ...observations({ status: ['running'] }),
    ...observations({ status: ['not-found'], confirm: ['nothing', 'current', 'old'] }),
  ],
};

const breakerClockBack: Alphabet = {
  name: 'the breaker, the clock going back',
  promised: { ...shortLimits, breakerWindowMs: 2 },
  maxLagMs: 0,
  clockGoesBackMs: 1,
  steps: [
    ...commonSteps.filter((step) => step.do !== 'replace'),
    { do: 'clock-back' },
    { do: 'remove-neighbour' },
    ...observations({ status: ['nothing', 'running'] }),
    ...observations({ status: ['not-found'], neighbourStatus: ['nothing', 'running', 'not-found'] }),
  ],
};

/** The node and others that are terminated one after the other. */
const pace: Alphabet = {
  name: 'the pace',
  promised: shortLimits,
  maxLagMs: 0,
  clockGoesBackMs: 1,
  steps: [
    ...commonSteps,
    { do: 'clock-back' },
    { do: 'delete-z' },
    ...observations({ status: ['nothing', 'running', 'terminated'] }),
    ...observations({ status: ['terminated'], canary: ['bad'] }),
  ],
};

export const alphabets = { node, slowAnswers, clockBack, breaker, replacements, breakerClockBack, pace } as const;

/** The same sight as those of the explorations, but for these. */
export function observationWith(differences: Partial<ModelObservation>): ModelStep {
  return { do: 'see', ...plainObservation, ...differences };
}

/** Every combination of the choices, and plain where there is none. */
function observations(choices: Choices): readonly ModelStep[] {
  let all: readonly ModelObservation[] = [plainObservation];
  for (const [name, values] of Object.entries(choices)) {
    all = all.flatMap((observation) => values.map((value) => ({ ...observation, [name]: value })));
  }
  return all.map((observation) => ({ do: 'see', ...observation }));
}
