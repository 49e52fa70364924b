import type { LabelSet } from '../../schemas/metrics/declaration.ts';
import { createHistogram } from './histogram.ts';
import type { Histogram, HistogramDescription } from './histogram.ts';
import { createLabelText, labelCombinations } from './labels.ts';
import type { MetricLabels } from './labels.ts';
import { sampleLine } from './sample-line.ts';
import type { Samples } from './sample-line.ts';

/** The metrics of one program, in the text form that Prometheus reads. */
export interface Metrics {
  counter<const L extends LabelSet>(description: MetricDescription<L>): Counter<L>;
  gauge<const L extends LabelSet>(description: MetricDescription<L>): Gauge<L>;
  /** Read at each scrape, so that it is always current. */
  measured<const L extends LabelSet>(
    description: MeasuredDescription<L>,
    measure: () => Iterable<Measurement<L>>,
  ): void;
  histogram<const L extends LabelSet>(description: HistogramDescription<L>): Histogram<L>;
  text(): string;
}

export interface MetricDescription<L extends LabelSet> {
  readonly name: string;
  readonly help: string;
  readonly labels: L;
}

export interface MeasuredDescription<L extends LabelSet> extends MetricDescription<L> {
  readonly type: 'counter' | 'gauge';
}

export interface Counter<L extends LabelSet> {
  add(labels: MetricLabels<L>, count: number): void;
}

export interface Gauge<L extends LabelSet> {
  set(labels: MetricLabels<L>, value: number): void;
}

export type Measurement<L extends LabelSet> = readonly [labels: MetricLabels<L>, value: number];

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function createMetrics(): Metrics {
  const parts = new Map<string, () => string>();
  const register = (type: string, { name, help }: MetricDescription<LabelSet>, samples: Samples): void => {
    const isUsable = /^[a-z][a-z0-9_]*$/.test(name) && !parts.has(name);
    if (!isUsable) throw new Error(`the metric ${name} is there already, or odd`);
    const head = `# HELP ${name} ${help.replaceAll(/[\\\n]/g, ' ')}\n# TYPE ${name} ${type}\n`;
    parts.set(name, () => `${head}${[...samples()].join('')}`);
  };
  return {
    counter: (description) => {
      const values = createValues(description);
      register('counter', description, values.samples);
      return { add: (labels, count) => values.change(labels, (value) => value + Math.max(0, count)) };
    },
    gauge: (description) => {
      const values = createValues(description);
      register('gauge', description, values.samples);
      return { set: (labels, value) => values.change(labels, () => value) };
    },
    measured: (description, measure) => {
      const labelText = createLabelText(description.labels);
      // Values beyond the maximum of a label have one text, and a scraper takes each text once.
      register(description.type, description, () => {
        const lines = new Map<string, string>();
        for (const [labels, value] of measure()) {
          const key = labelText(labels);
          lines.set(key, sampleLine(description.name, key, value));
        }
        return lines.values();
      });
    },
    histogram: (description) => {
      const { histogram, samples } = createHistogram(description);
      register('histogram', description, samples);
      return histogram;
    },
    text: () => [...parts.values()].map((part) => part()).join(''),
  };
}

interface Values<L extends LabelSet> {
  change(labels: MetricLabels<L>, next: (value: number) => number): void;
  readonly samples: Samples;
}

/** If all combinations are known, they start at 0: no alert can see the first increase of a series that was absent. */
function createValues<L extends LabelSet>({ name, labels }: MetricDescription<L>): Values<L> {
  const labelText = createLabelText(labels);
  const values = new Map<string, number>(labelCombinations(labels).map((each) => [labelText(each), 0]));
  return {
    change: (given, next) => {
      const key = labelText(given);
      values.set(key, next(values.get(key) ?? 0));
    },
    samples: () => [...values].map(([key, value]) => sampleLine(name, key, value)),
  };
}
