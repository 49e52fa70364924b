import { percentiles } from '../harness/percentile.ts';
import { formatTable } from '../harness/report.ts';
import type { ControllerSample } from './section.ts';

/** All that was measured of each: what the gates look at, and what a person sees. */
export function p50Of(samples: readonly ControllerSample[], variant: string, metric: string): number | undefined {
  const values = valuesOf(samples, variant, metric);
  return values.length === 0 ? undefined : percentiles(values).p50;
}

/** A line for each metric, a column for each contender; where there were several rounds, the least and the most. */
export function formatSamples(samples: readonly ControllerSample[]): string {
  const variants = [...new Set(samples.map(({ variant }) => variant))];
  const metrics = [...new Set(samples.map(({ metric }) => metric))];
  const rows = metrics.map((metric) => [
    metric,
    ...variants.map((variant) => formatCell(valuesOf(samples, variant, metric))),
  ]);
  return formatTable([['', ...variants], ...rows]);
}

function valuesOf(samples: readonly ControllerSample[], variant: string, metric: string): readonly number[] {
  return samples.filter((each) => each.variant === variant && each.metric === metric).map(({ value }) => value);
}

function formatCell(values: readonly number[]): string {
  if (values.length === 0) return '';
  const p50 = format(percentiles(values).p50);
  return values.length === 1 ? p50 : `${p50} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
}

function format(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);
}
