/** Every number of the decision. A value weaker than the default gets a warning. */
export interface LifecycleSettings {
  /** Reports closer together than this are one sighting. */
  readonly sightingsApartMs: number;
  readonly terminatedSightings: number;
  readonly notFoundSightings: number;
  /** From the response of the first sighting to the request of the last. */
  readonly notFoundSpanMs: number;
  /** A cloud may not know its newest instances yet: a Node must be older than this. */
  readonly notFoundMinAgeMs: number;
  readonly breakerNodes: number;
  readonly breakerPercent: number;
  readonly breakerWindowMs: number;
  readonly terminatedNodesPerWindow: number;
  readonly terminatedPercentPerWindow: number;
  readonly terminatedWindowMs: number;
  /** Ready nodes that verify a look-up. */
  readonly canaryNodes: number;
  /** Whether a node that is shut down also gets the taint that frees its volumes. */
  readonly outOfServiceTaint: boolean;
}

export const defaultSettings: LifecycleSettings = {
  sightingsApartMs: 10_000,
  terminatedSightings: 2,
  notFoundSightings: 3,
  notFoundSpanMs: 60_000,
  notFoundMinAgeMs: 300_000,
  breakerNodes: 3,
  breakerPercent: 20,
  breakerWindowMs: 600_000,
  terminatedNodesPerWindow: 3,
  terminatedPercentPerWindow: 20,
  terminatedWindowMs: 60_000,
  canaryNodes: 5,
  outOfServiceTaint: false,
};

type NumberName = Exclude<keyof LifecycleSettings, 'outOfServiceTaint'>;

interface Bounds {
  readonly name: NumberName;
  readonly min: number;
  readonly max: number;
  /** In which direction a deletion becomes easier than by default. */
  readonly weakerWhen: 'less' | 'more';
}

const maxDurationMs = 24 * 60 * 60 * 1000;
const maxNodes = 100_000;

const bounds: readonly Bounds[] = [
  { name: 'sightingsApartMs', min: 1, max: maxDurationMs, weakerWhen: 'less' },
  { name: 'terminatedSightings', min: 1, max: 100, weakerWhen: 'less' },
  { name: 'notFoundSightings', min: 1, max: 100, weakerWhen: 'less' },
  { name: 'notFoundSpanMs', min: 0, max: maxDurationMs, weakerWhen: 'less' },
  { name: 'notFoundMinAgeMs', min: 0, max: maxDurationMs, weakerWhen: 'less' },
  { name: 'breakerNodes', min: 0, max: maxNodes, weakerWhen: 'more' },
  { name: 'breakerPercent', min: 0, max: 100, weakerWhen: 'more' },
  { name: 'breakerWindowMs', min: 1, max: maxDurationMs, weakerWhen: 'less' },
  { name: 'terminatedNodesPerWindow', min: 1, max: maxNodes, weakerWhen: 'more' },
  { name: 'terminatedPercentPerWindow', min: 0, max: 100, weakerWhen: 'more' },
  { name: 'terminatedWindowMs', min: 1, max: maxDurationMs, weakerWhen: 'less' },
  { name: 'canaryNodes', min: 1, max: 100, weakerWhen: 'less' },
];

export interface CheckedSettings {
  readonly settings: LifecycleSettings;
  /** Not usable if there is any. */
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

/** Adds the defaults, and lists what is invalid and what is weaker than the default. */
export function checkSettings(given: Partial<LifecycleSettings>): CheckedSettings {
  const settings = { ...defaultSettings, ...given };
  return {
    settings,
    mistakes: bounds.filter((each) => !isWithin(each, settings[each.name])).map((each) => mistake(each, settings)),
    warnings: bounds.filter((each) => isWeaker(each, settings[each.name])).map((each) => warning(each, settings)),
  };
}

function isWithin({ min, max }: Bounds, value: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function isWeaker({ name, weakerWhen }: Bounds, value: number): boolean {
  return weakerWhen === 'less' ? value < defaultSettings[name] : value > defaultSettings[name];
}

function mistake({ name, min, max }: Bounds, settings: LifecycleSettings): string {
  return `${name} is ${settings[name]}; it must be a whole number from ${min} to ${max}`;
}

function warning({ name, weakerWhen }: Bounds, settings: LifecycleSettings): string {
  return `${name} is ${settings[name]}, ${weakerWhen} than the default ${defaultSettings[name]}: Nodes are deleted more easily than documented`;
}
