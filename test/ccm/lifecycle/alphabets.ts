import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import type { Sight, Step } from './world.ts';

/** All that may happen in one exploration. Several small ones together are as thorough as a large one that never ends. */
export interface Alphabet {
  readonly name: string;
  readonly promise: LifecycleSettings;
  readonly steps: readonly Step[];
  readonly longestLagMs: number;
  readonly clockGoesBackMs: number;
}

/** Limits of a few ticks of 1 ms, so that every age below, at and above each of them is met. */
const small: LifecycleSettings = {
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
const alone: LifecycleSettings = {
  ...small,
  sightingsApartMs: 2,
  notFoundSightings: 3,
  notFoundSpanMs: 5,
  breakerNodes: 9,
  breakerWindowMs: 1,
  terminatedNodesPerWindow: 9,
  terminatedWindowMs: 1,
};

const plain: Sight = {
  ready: false,
  known: true,
  ownership: 'ours',
  said: 'nothing',
  canary: 'good',
  lagMs: 0,
  scopeIs: 'as-it-was',
  neighbourSaid: 'nothing',
  confirm: 'nothing',
};

type Choices = { readonly [Name in keyof Sight]?: readonly Sight[Name][] };

const passing: readonly Step[] = [{ do: 'tick' }, { do: 'restart' }, { do: 'replace' }];
const otherCanaries: readonly Sight['canary'][] = [
  'none, vouched',
  'bad, yet vouched',
  'none, not vouched',
  'none, nobody asked',
];

/** Both words and everything that may go along with them; of the scope only what it lets go. */
const node: Alphabet = {
  name: 'the node',
  promise: { ...alone, notFoundMinAgeMs: 6 },
  longestLagMs: 0,
  clockGoesBackMs: 0,
  steps: [
    ...passing,
    ...sights({ ready: [false, true], known: [true, false] }),
    ...sights({ said: ['present', 'stopped', 'unknown', 'ambiguous'], canary: ['good', 'bad'] }),
    ...sights({
      said: ['terminated', 'not-found'],
      ready: [false, true],
      known: [true, false],
      canary: ['good', 'bad'],
    }),
    ...sights({ said: ['terminated', 'not-found'], canary: otherCanaries }),
    ...sights({ said: ['terminated', 'not-found'], scopeIs: ['stopped', 'slowed'] }),
    ...sights({ said: ['terminated', 'not-found'], ownership: ['foreign'] }),
  ],
};

/** Answers that are older than what was seen of the Node meanwhile. */
const slowAnswers: Alphabet = {
  name: 'slow answers',
  promise: { ...alone, sightingsApartMs: 1, notFoundSpanMs: 3 },
  longestLagMs: 1,
  clockGoesBackMs: 0,
  steps: [
    ...passing,
    ...sights({ ready: [false, true] }),
    ...sights({ said: ['present', 'unknown'] }),
    ...sights({ said: ['terminated', 'not-found'], ready: [false, true], canary: ['good', 'bad'], lagMs: [0, 1] }),
  ],
};

const clockBack: Alphabet = {
  name: 'a clock that goes back',
  promise: { ...alone, sightingsApartMs: 1, notFoundSpanMs: 3 },
  longestLagMs: 0,
  clockGoesBackMs: 1,
  steps: [
    ...passing,
    { do: 'clock-back' },
    ...sights({ ready: [false, true] }),
    ...sights({ said: ['present', 'unknown'] }),
    ...sights({ said: ['terminated', 'not-found'], canary: ['good', 'bad'] }),
  ],
};

/** The node and a neighbour, of which two together are too many. */
const breaker: Alphabet = {
  name: 'the breaker',
  promise: { ...small, breakerWindowMs: 2 },
  longestLagMs: 0,
  clockGoesBackMs: 0,
  steps: [
    { do: 'tick' },
    { do: 'restart' },
    { do: 'remove-neighbour' },
    ...sights({ ready: [true], said: ['nothing', 'not-found'] }),
    ...sights({ said: ['present', 'unknown'], neighbourSaid: ['nothing', 'present', 'not-found'] }),
    ...sights({
      said: ['not-found'],
      neighbourSaid: ['nothing', 'present', 'not-found'],
      confirm: ['nothing', 'current', 'old'],
    }),
    ...sights({ said: ['not-found'], neighbourSaid: ['not-found'], confirm: ['current, on a healthy Node'] }),
    ...sights({ said: ['not-found'], canary: ['bad'], neighbourSaid: ['nothing', 'not-found'] }),
  ],
};

/** One node after the other goes missing under the same name. */
const replacements: Alphabet = {
  name: 'replacements',
  promise: { ...small, breakerWindowMs: 2 },
  longestLagMs: 0,
  clockGoesBackMs: 0,
  steps: [
    ...passing,
    ...sights({ said: ['present'] }),
    ...sights({ said: ['not-found'], confirm: ['nothing', 'current', 'old'] }),
  ],
};

const breakerClockBack: Alphabet = {
  name: 'the breaker, the clock going back',
  promise: { ...small, breakerWindowMs: 2 },
  longestLagMs: 0,
  clockGoesBackMs: 1,
  steps: [
    ...passing.filter((step) => step.do !== 'replace'),
    { do: 'clock-back' },
    { do: 'remove-neighbour' },
    ...sights({ said: ['nothing', 'present'] }),
    ...sights({ said: ['not-found'], neighbourSaid: ['nothing', 'present', 'not-found'] }),
  ],
};

/** The node and others that are terminated one after the other. */
const pace: Alphabet = {
  name: 'the pace',
  promise: small,
  longestLagMs: 0,
  clockGoesBackMs: 1,
  steps: [
    ...passing,
    { do: 'clock-back' },
    { do: 'delete-z' },
    ...sights({ said: ['nothing', 'present', 'terminated'] }),
    ...sights({ said: ['terminated'], canary: ['bad'] }),
  ],
};

export const alphabets = { node, slowAnswers, clockBack, breaker, replacements, breakerClockBack, pace } as const;

/** The same sight as those of the explorations, but for these. */
export function sightWith(differences: Partial<Sight>): Step {
  return { do: 'see', ...plain, ...differences };
}

/** Every combination of the choices, and plain where there is none. */
function sights(choices: Choices): readonly Step[] {
  let all: readonly Sight[] = [plain];
  for (const [name, values] of Object.entries(choices)) {
    all = all.flatMap((sight) => values.map((value) => ({ ...sight, [name]: value })));
  }
  return all.map((sight) => ({ do: 'see', ...sight }));
}
