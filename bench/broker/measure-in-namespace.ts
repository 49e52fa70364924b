import { readFileSync, writeFileSync } from 'node:fs';
import { measure } from '../harness/measure.ts';
import type { VariantMeasurement, Rounds } from '../harness/measure.ts';
import type { Variant } from '../harness/variant.ts';
import { measureConcurrentMemoryKb } from './concurrent-memory.ts';
import { openLatencyProxy } from './latency-proxy.ts';

/** The arguments of the process that measures, from the process that prepared the machine. */
export interface MeasureTask {
  readonly variants: readonly Variant[];
  readonly rounds: Rounds;
  readonly roundTripMs: number;
  /** Names of the cloud that are far away. */
  readonly farHosts: readonly string[];
  /** Present: a crowd of this variant is measured too, before a broker at this path that is put aside for it. */
  readonly crowd?: { readonly variant: string; readonly socketPath: string };
}

export interface MeasureResult {
  readonly measured: readonly VariantMeasurement[];
  readonly crowdKb?: number;
}

/** It runs on the machine of the lab, so that nothing has to be entered in the time that is taken. */
const task = JSON.parse(process.argv[2] ?? '') as MeasureTask;
const hostsFile = '/etc/hosts';
const hosts = readFileSync(hostsFile, 'utf8');
const lines = await addLatency(task);
const measured = await measure(task.variants, task.rounds, (line) => void process.stderr.write(`${line}\n`));
for (const line of lines) line.close();
writeFileSync(hostsFile, hosts);
const crowdVariant = task.variants.find(({ name }) => name === task.crowd?.variant);
const crowdKb = crowdVariant && task.crowd && (await measureConcurrentMemoryKb(crowdVariant, task.crowd.socketPath));
process.stdout.write(JSON.stringify({ measured, ...(crowdKb !== undefined && { crowdKb }) } satisfies MeasureResult));
process.exitCode = 0;

/** The far hosts' names lead to lines of this process, and these to where the names led before. */
async function addLatency({ farHosts, roundTripMs }: MeasureTask) {
  if (roundTripMs === 0) return [];
  const far = farHosts.map((name, index) => ({ name, listenOn: `127.7.0.${index + 1}`, target: addressOf(name) }));
  const opened = await Promise.all(
    far.map(({ listenOn, target }) => openLatencyProxy({ listenOn, target, roundTripMs })),
  );
  const others = hosts.split('\n').filter((line) => !farHosts.some((name) => line.split(/\s+/).includes(name)));
  writeFileSync(hostsFile, [...others, ...far.map(({ name, listenOn }) => `${listenOn} ${name}`), ''].join('\n'));
  return opened;
}

function addressOf(name: string): string {
  const line = hosts.split('\n').find((each) => each.split(/\s+/).includes(name) && /^\d/.test(each));
  const [address] = line?.split(/\s+/) ?? [];
  if (address === undefined) throw new Error(`${name} is nowhere`);
  return address;
}
