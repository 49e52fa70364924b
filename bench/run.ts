import { writeFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { readScriptOptions, refuseUsage } from '../build/script-options.ts';
import { agent } from './agent.ts';
import { broker } from './broker.ts';
import { ccm } from './ccm.ts';
import { credentialProvider } from './credential-provider.ts';
import { commandLines } from './harness/command-lines.ts';
import { formatGateResults } from './harness/report.ts';
import type { BenchOptions, RunnableBench } from './harness/runnable.ts';
import { start } from './start.ts';

/** Each by the name that `npm run bench -- NAME` knows it by. */
const benches: Readonly<Record<string, RunnableBench>> = {
  start: commandLines(start),
  'credential-provider': credentialProvider,
  ccm,
  broker,
  agent,
};

const command = 'npm run bench';
const text = `Runs the programs, and others for comparison: npm run bench -- NAME [OPTION…]

${Object.entries(benches)
  .map(([name, { options }]) => `  ${[name, ...options.map((option) => `[--${option} VALUE]`)].join(' ')}\n`)
  .join('')}
  --json FILE  also write everything that was measured
`;

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** Gives 1 when a gate was missed. */
async function main(): Promise<number> {
  const [name = '', ...args] = process.argv.slice(2);
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (bench === undefined) {
    readOptions([name, ...args], []);
    return refuseUsage(command, `name a bench: ${Object.keys(benches).join(', ')}`);
  }
  const options = readOptions(args, ['json', ...bench.options]);
  const { table, gateResults, json } = await bench.run(
    options,
    (line) => void process.stderr.write(`bench: ${line}\n`),
  );
  process.stdout.write(`${table}\n${formatGateResults(gateResults)}`);
  const written = { bench: name, machine: machine(), ...json, gates: gateResults };
  if (options['json'] !== undefined) await writeFile(options['json'], `${JSON.stringify(written, undefined, 2)}\n`);
  return gateResults.every((result) => result.met) ? 0 : 1;
}

function readOptions(args: readonly string[], names: readonly string[]): BenchOptions {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const));
  const { values } = readScriptOptions(
    { command, text },
    { args: [...args], options, allowPositionals: names.length === 0 },
  );
  return values;
}

function machine(): Readonly<Record<string, unknown>> {
  const all = cpus();
  return { cpu: all[0]?.model, cpus: all.length, kernel: release(), node: process.versions.node };
}
