import type { Bench } from './bench.ts';
import { evaluateGates } from './gate.ts';
import { measure, metricsOf } from './measure.ts';
import { formatMeasured } from './report.ts';
import type { RunnableBench } from './runnable.ts';

/** A bench that is a list of command lines, each run to its end. */
export function commandLines(bench: Bench): RunnableBench {
  return {
    options: ['rounds'],
    run: async (options, log) => {
      const rounds = options['rounds'] === undefined ? bench.rounds : reducedRounds(Number(options['rounds']));
      const prepared = await bench.prepare();
      try {
        const measured = await measure(prepared.variants, rounds, log);
        const metrics = new Map(measured.map((one) => [one.name, metricsOf(one)]));
        const gateResults = evaluateGates(bench.gates, (variant, metric) => metrics.get(variant)?.[metric]?.p50);
        return { table: formatMeasured(measured, bench.baseline), gateResults, json: { rounds, measured } };
      } finally {
        await prepared.stop();
      }
    },
  };
}

/** To try a bench out: what comes of it is no measurement. */
function reducedRounds(rounds: number): Bench['rounds'] {
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on');
  return { warmUp: 1, wall: rounds, atOutput: rounds };
}
