import type { LabelSet } from '../../schemas/metrics/declaration.ts';
import { createLabelText, labelCombinations } from './labels.ts';
import type { MetricLabels } from './labels.ts';
import { sampleLine } from './sample-line.ts';
import type { Samples } from './sample-line.ts';

export interface HistogramDescription<L extends LabelSet> {
  readonly name: string;
  readonly help: string;
  readonly labels: L;
  /** Upper bounds in ascending order; `+Inf` is added. */
  readonly buckets: readonly number[];
}

export interface Histogram<L extends LabelSet> {
  observe(labels: MetricLabels<L>, value: number): void;
}

interface Distribution {
  /** The count of each bucket alone; `+Inf` is the last. */
  readonly counts: number[];
  sum: number;
}

export function createHistogram<L extends LabelSet>(
  description: HistogramDescription<L>,
): { readonly histogram: Histogram<L>; readonly samples: Samples } {
  const { name, labels, buckets } = description;
  const labelText = createLabelText(labels);
  const distributions = new Map<string, Distribution>();
  const distributionOf = (key: string): Distribution => {
    const known = distributions.get(key);
    if (known !== undefined) return known;
    const fresh = { counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
    distributions.set(key, fresh);
    return fresh;
  };
  for (const each of labelCombinations(labels)) distributionOf(labelText(each));
  return {
    histogram: {
      observe: (given, value) => {
        const distribution = distributionOf(labelText(given));
        const found = buckets.findIndex((bound) => value <= bound);
        const index = found < 0 ? buckets.length : found;
        distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
        distribution.sum += value;
      },
    },
    samples: () => [...distributions].flatMap(([key, distribution]) => lines(name, key, { buckets, distribution })),
  };
}

interface Shape {
  readonly buckets: readonly number[];
  readonly distribution: Distribution;
}

/** Prometheus expects cumulative buckets. */
function lines(name: string, key: string, { buckets, distribution }: Shape): readonly string[] {
  const prefix = key === '' ? '' : `${key},`;
  let cumulative = 0;
  const bucketLines = distribution.counts.map((count, index) => {
    cumulative += count;
    return sampleLine(`${name}_bucket`, `${prefix}le="${buckets[index] ?? '+Inf'}"`, cumulative);
  });
  return [
    ...bucketLines,
    sampleLine(`${name}_sum`, key, distribution.sum),
    sampleLine(`${name}_count`, key, cumulative),
  ];
}
