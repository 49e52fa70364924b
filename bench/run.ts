import { writeFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench } from './harness/bench.ts';
import { judge } from './harness/gate.ts';
import { measure } from './harness/measure.ts';
import { formatReport } from './harness/report.ts';
import { start } from './start.ts';

/** Each by the name that `npm run bench -- NAME` knows it by. */
const benches: Readonly<Record<string, Bench>> = { start };

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** Gives 1 when a gate was missed. */
async function main(): Promise<number> {
  const options = { json: { type: 'string' }, rounds: { type: 'string' } } as const;
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const [name = ''] = positionals;
  const bench = benches[name];
  if (bench === undefined) {
    throw new Error(`which one? npm run bench -- ${Object.keys(benches).join('|')} [--json FILE]`);
  }
  const rounds = values.rounds === undefined ? bench.rounds : fewer(Number(values.rounds));
  const prepared = await bench.prepare();
  try {
    const measured = await measure(prepared.variants, rounds, (line) => void process.stderr.write(`bench: ${line}\n`));
    const verdicts = judge(bench.gates, measured);
    process.stdout.write(formatReport(measured, bench.baseline, verdicts));
    const json = { bench: name, machine: machine(), rounds, measured, gates: verdicts };
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(json, undefined, 2)}\n`);
    return verdicts.every((verdict) => verdict.met) ? 0 : 1;
  } finally {
    await prepared.stop();
  }
}

/** To try a bench out: what comes of it is no measurement. */
function fewer(rounds: number): Bench['rounds'] {
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on');
  return { warmUp: 1, wall: rounds, atOutput: rounds };
}

function machine(): Readonly<Record<string, unknown>> {
  const all = cpus();
  return { cpu: all[0]?.model, cpus: all.length, kernel: release(), node: process.versions.node };
}
