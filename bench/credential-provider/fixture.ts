import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MeasureResult, MeasureTask } from '../broker/measure-in-namespace.ts';
import { readWholeFile } from '../harness/measure.ts';
import type { VariantMeasurement, Rounds } from '../harness/measure.ts';
import type { ColdTask } from './cold-start.ts';
import { createProviderSubjects } from './subjects.ts';
import type { ProviderSubject } from './subjects.ts';
import { evict } from './evict.ts';
import { environments } from './environments.ts';
import type { BenchCloudName, BenchEnvironment } from './environments.ts';
import { countRoundTrips } from './round-trips.ts';
import type { RoundTrips } from './round-trips.ts';

/** A node of one cloud with all that is compared on it. */
export interface ProviderFixture {
  measureAt(roundTripMs: number, rounds: Rounds): Promise<readonly VariantMeasurement[]>;
  measureCold(rounds: number): Promise<readonly VariantMeasurement[]>;
  countTrips(): Promise<readonly RoundTrips[]>;
  stop(): Promise<void>;
}

const measureScript = fileURLToPath(new URL('../broker/measure-in-namespace.ts', import.meta.url));
const coldStartScript = fileURLToPath(new URL('cold-start.ts', import.meta.url));
const longestMs = 10 * 60_000;

export async function openProviderFixture(
  cloud: BenchCloudName,
  beside: string | undefined,
  log: (line: string) => void,
): Promise<ProviderFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const environment = await environments[cloud](directory);
  const options = { entries: environment.entries, directory, ...(beside !== undefined && { beside }) };
  const subjects = await copyExecutables(await createProviderSubjects(options, log), directory);
  return {
    measureAt: async (roundTripMs, rounds) => {
      // Lines to afar carry the port of TLS only.
      const variants = subjects.filter(({ protocol }) => roundTripMs === 0 || protocol === 'HTTPS');
      const task: MeasureTask = { variants, rounds, roundTripMs, farHosts: environment.farHosts };
      return (JSON.parse(await runInNamespace(environment, measureScript, task)) as MeasureResult).measured;
    },
    measureCold: async (rounds) => {
      const task: ColdTask = { variants: subjects.filter(({ protocol }) => protocol === 'HTTPS'), rounds };
      return JSON.parse(await runInNamespace(environment, coldStartScript, task)) as readonly VariantMeasurement[];
    },
    countTrips: async () => {
      const counted: RoundTrips[] = [];
      for (const subject of subjects) {
        const trips = await countRoundTrips(subject, environment);
        if (trips !== undefined) counted.push(trips);
      }
      return counted;
    },
    stop: async () => {
      await environment.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function runInNamespace(
  { namespace }: BenchEnvironment,
  script: string,
  task: MeasureTask | ColdTask,
): Promise<string> {
  const options = { env: {}, input: '', timeoutMs: longestMs };
  const { code, stdout, stderr } = await namespace.run(process.execPath, [script, JSON.stringify(task)], options);
  if (code !== 0) throw new Error(`measuring ended with ${code}: ${stderr}`);
  return stdout;
}

/**
 * Copies that nobody else runs and that come from the disk in one go: how the kernel laid a file out in memory while it was
 * written, piece by piece, seemed to make its start longer.
 */
async function copyExecutables(
  subjects: readonly ProviderSubject[],
  directory: string,
): Promise<readonly ProviderSubject[]> {
  const copies = new Map<string, string>();
  for (const { file } of subjects) {
    if (copies.has(file)) continue;
    const copy = join(directory, `${copies.size}-${basename(file)}`);
    await copyFile(file, copy);
    await evict(copy);
    // Whoever runs it first must find it in memory: pages that a start fetches one by one make all later starts slower.
    await readWholeFile(copy);
    copies.set(file, copy);
  }
  return subjects.map((contender) => ({ ...contender, file: copies.get(contender.file) ?? contender.file }));
}
