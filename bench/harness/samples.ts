import { percentiles } from './percentile.ts';
import { formatTable } from './report.ts';

/** One value that was measured once. */
export interface BenchSample {
  readonly variant: string;
  /** What it is of, and in which unit. */
  readonly metric: string;
  readonly value: number;
}

/** Of one run: what was measured, by metric; each begins with the title. */
export function toSamples(
  variant: string,
  title: string,
  values: Readonly<Record<string, number>>,
): readonly BenchSample[] {
  return Object.entries(values).map(([metric, value]) => ({ variant, metric: `${title}: ${metric}`, value }));
}

/** All that was measured of each: what the gates look at, and what a person sees. */
export function p50Of(samples: readonly BenchSample[], variant: string, metric: string): number | undefined {
  const values = valuesOf(samples, variant, metric);
  return values.length === 0 ? undefined : percentiles(values).p50;
}

/** A line for each metric, a column for each contender; where there were several rounds, the least and the most. */
export function formatSamples(samples: readonly BenchSample[]): string {
  const variants = [...new Set(samples.map(({ variant }) => variant))];
  const metrics = [...new Set(samples.map(({ metric }) => metric))];
  const rows = metrics.map((metric) => [
    metric,
    ...variants.map((variant) => formatCell(valuesOf(samples, variant, metric))),
  ]);
  return formatTable([['', ...variants], ...rows]);
}

function valuesOf(samples: readonly BenchSample[], variant: string, metric: string): readonly number[] {
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
