import { createReadStream } from 'node:fs';
import type { AtOutput } from './at-output.ts';
import { measureAtOutput } from './at-output.ts';
import type { Percentiles } from './percentile.ts';
import { percentiles } from './percentile.ts';
import type { Variant } from './variant.ts';
import { wallMs } from './wall-time.ts';

export interface Rounds {
  /** Not counted. */
  readonly warmUp: number;
  readonly wall: number;
  readonly atOutput: number;
}

export interface VariantMeasurement {
  readonly name: string;
  readonly wallMs: Percentiles;
  /** Absent for a variant that writes nothing. */
  readonly cpuMs?: Percentiles;
  readonly rssAnonKb?: Percentiles;
}

/** By the names that gates know them by. */
export function metricsOf(measured: VariantMeasurement): Readonly<Record<string, Percentiles | undefined>> {
  return { wallMs: measured.wallMs, cpuMs: measured.cpuMs, rssAnonKb: measured.rssAnonKb };
}

/** Every round runs each variant once, and each round begins with another one: what drifts, drifts for all alike. */
export async function measure(
  variants: readonly Variant[],
  rounds: Rounds,
  log: (line: string) => void,
): Promise<readonly VariantMeasurement[]> {
  for (const file of new Set(variants.map((variant) => variant.file))) await readWholeFile(file);
  await interleave(variants, rounds.warmUp, wallMs, () => undefined);
  const walls = await interleave(variants, rounds.wall, wallMs, progress('time', rounds.wall, log));
  const answering = variants.filter((variant) => variant.answers);
  const onProgress = progress('memory', rounds.atOutput, log);
  const atOutputs = await interleave(answering, rounds.atOutput, measureAtOutput, onProgress);
  return variants.map((variant) => {
    const wall = { name: variant.name, wallMs: percentiles(walls.get(variant) ?? []) };
    const atOutput = atOutputs.get(variant);
    return atOutput === undefined ? wall : { ...wall, ...summary(atOutput) };
  });
}

/** How the kernel laid a file out in memory changes its start by milliseconds, and depends on how it was first read. */
export async function readWholeFile(file: string): Promise<void> {
  for await (const chunk of createReadStream(file)) void chunk;
}

async function interleave<T>(
  variants: readonly Variant[],
  rounds: number,
  once: (variant: Variant) => Promise<T>,
  onRound: (round: number) => void,
): Promise<ReadonlyMap<Variant, readonly T[]>> {
  const results = new Map<Variant, T[]>(variants.map((variant) => [variant, []]));
  for (let round = 0; round < rounds; round += 1) {
    onRound(round);
    for (const variant of rotated(variants, round)) results.get(variant)?.push(await once(variant));
  }
  return results;
}

export function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const first = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

function summary(atOutputs: readonly AtOutput[]): Pick<VariantMeasurement, 'cpuMs' | 'rssAnonKb'> {
  return {
    cpuMs: percentiles(atOutputs.map((one) => one.cpuMs)),
    rssAnonKb: percentiles(atOutputs.map((one) => one.rssAnonKb)),
  };
}

const progressEveryMs = 5_000;

function progress(what: string, rounds: number, log: (line: string) => void): (round: number) => void {
  let loggedAtMs = performance.now();
  return (round) => {
    if (performance.now() - loggedAtMs < progressEveryMs) return;
    loggedAtMs = performance.now();
    log(`${what}: round ${round} of ${rounds}`);
  };
}
