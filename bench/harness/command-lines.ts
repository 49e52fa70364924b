import type { Bench } from './bench.ts';
import { judge } from './gate.ts';
import { measure, metricsOf } from './measure.ts';
import { formatMeasured } from './report.ts';
import type { RunnableBench } from './runnable.ts';

/** A bench that is a list of command lines, each run to its end. */
export function commandLines(bench: Bench): RunnableBench {
  return {
    options: ['rounds'],
    run: async (options, say) => {
      const rounds = options['rounds'] === undefined ? bench.rounds : fewer(Number(options['rounds']));
      const prepared = await bench.prepare();
      try {
        const measured = await measure(prepared.variants, rounds, say);
        const metrics = new Map(measured.map((one) => [one.name, metricsOf(one)]));
        const verdicts = judge(bench.gates, (variant, metric) => metrics.get(variant)?.[metric]?.p50);
        return { table: formatMeasured(measured, bench.baseline), verdicts, json: { rounds, measured } };
      } finally {
        await prepared.stop();
      }
    },
  };
}

/** To try a bench out: what comes of it is no measurement. */
function fewer(rounds: number): Bench['rounds'] {
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on');
  return { warmUp: 1, wall: rounds, atOutput: rounds };
}
