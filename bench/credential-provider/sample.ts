import { metricsOf } from '../harness/measure.ts';
import type { VariantMeasurement } from '../harness/measure.ts';
import { formatMeasured, formatTable } from '../harness/report.ts';
import { bareNode } from './subjects.ts';
import type { BenchCloudName } from './environments.ts';
import type { RoundTrips } from './round-trips.ts';

/** What was measured in one setting. */
export type ProviderSample =
  | { readonly setting: SampleSetting; readonly measured: readonly VariantMeasurement[] }
  | { readonly setting: 'trips'; readonly trips: readonly RoundTrips[] };

/** Whose node, and a round trip to that cloud, or the executables out of memory. Each has a bare node of its own to compare to. */
export type SampleSetting = `${BenchCloudName}, ${number} ms` | `${BenchCloudName}, cold file`;

export function nameIn(setting: SampleSetting, variant: string): string {
  return `${variant} (${setting})`;
}

export function valueOf(samples: readonly ProviderSample[], variant: string, metric: string): number | undefined {
  for (const sample of samples) {
    const value =
      sample.setting === 'trips'
        ? tripsValue(sample.trips, variant, metric)
        : measuredValue(sample.setting, sample.measured, { variant, metric });
    if (value !== undefined) return value;
  }
  return undefined;
}

function tripsValue(trips: readonly RoundTrips[], variant: string, metric: string): number | undefined {
  return metric === 'roundTrips' ? trips.find((one) => one.variant === variant)?.roundTrips : undefined;
}

function measuredValue(
  setting: SampleSetting,
  measured: readonly VariantMeasurement[],
  { variant, metric }: { readonly variant: string; readonly metric: string },
): number | undefined {
  const found = measured.find(({ name }) => nameIn(setting, name) === variant);
  return found && metricsOf(found)[metric]?.p50;
}

export function formatSample(sample: ProviderSample): string {
  if (sample.setting !== 'trips') return `${sample.setting}\n${formatMeasured(sample.measured, bareNode)}`;
  const head = ['one answer', 'metadata calls', 'cloud calls', 'connections', 'round trips'];
  const rows = sample.trips.map(({ variant, metadataCalls, cloudCalls, connections, roundTrips }) => [
    variant,
    ...[metadataCalls, cloudCalls, connections, roundTrips].map(String),
  ]);
  return formatTable([head, ...rows]);
}

/** How many round trips an answer waits for: what lies behind other work is not in it. */
export function formatWaits(samples: readonly ProviderSample[]): string {
  const walls = new Map(samples.flatMap(wallsOf));
  const rows = [...walls].flatMap(([name, farMs]) => {
    const nearMs = name.endsWith(farthest) ? walls.get(name.replace(farthest, nearest)) : undefined;
    if (nearMs === undefined) return [];
    return [[name.replace(farthest, ')'), ((farMs - nearMs) / farthestMs).toFixed(1)]];
  });
  return rows.length === 0 ? '' : `${formatTable([['waits for', 'round trips'], ...rows])}\n`;
}

const farthestMs = 50;
const farthest = `, ${farthestMs} ms)`;
const nearest = ', 0 ms)';

function wallsOf(sample: ProviderSample): ReadonlyArray<readonly [string, number]> {
  if (sample.setting === 'trips') return [];
  const { setting, measured } = sample;
  return measured.map(({ name, wallMs }) => [nameIn(setting, name), wallMs.p50] as const);
}
