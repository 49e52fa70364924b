import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InsideResult, InsideTask } from '../broker/inside.ts';
import { readThrough } from '../harness/measure.ts';
import type { Measured, Rounds } from '../harness/measure.ts';
import type { ColdTask } from './cold-start.ts';
import { makeContenders } from './contenders.ts';
import type { Contender } from './contenders.ts';
import { evict } from './evict.ts';
import { grounds } from './grounds.ts';
import type { CloudName, Ground } from './grounds.ts';
import { countTrips } from './trips.ts';
import type { Trips } from './trips.ts';

/** A node of one cloud with all that is compared on it. */
export interface Field {
  measureAt(roundTripMs: number, rounds: Rounds): Promise<readonly Measured[]>;
  measureCold(rounds: number): Promise<readonly Measured[]>;
  countTrips(): Promise<readonly Trips[]>;
  stop(): Promise<void>;
}

const inside = fileURLToPath(new URL('../broker/inside.ts', import.meta.url));
const coldStart = fileURLToPath(new URL('cold-start.ts', import.meta.url));
const longestMs = 10 * 60_000;

export async function openField(
  cloud: CloudName,
  beside: string | undefined,
  say: (line: string) => void,
): Promise<Field> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const ground = await grounds[cloud](directory);
  const wish = { entries: ground.entries, directory, ...(beside !== undefined && { beside }) };
  const contenders = await withOwnFiles(await makeContenders(wish, say), directory);
  return {
    measureAt: async (roundTripMs, rounds) => {
      // Lines to afar carry the port of TLS only.
      const variants = contenders.filter(({ speaks }) => roundTripMs === 0 || speaks === 'HTTPS');
      const task: InsideTask = { variants, rounds, roundTripMs, farHosts: ground.farHosts };
      return (JSON.parse(await runInside(ground, inside, task)) as InsideResult).measured;
    },
    measureCold: async (rounds) => {
      const task: ColdTask = { variants: contenders.filter(({ speaks }) => speaks === 'HTTPS'), rounds };
      return JSON.parse(await runInside(ground, coldStart, task)) as readonly Measured[];
    },
    countTrips: async () => {
      const counted: Trips[] = [];
      for (const contender of contenders) {
        const trips = await countTrips(contender, ground);
        if (trips !== undefined) counted.push(trips);
      }
      return counted;
    },
    stop: async () => {
      await ground.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function runInside({ namespace }: Ground, script: string, task: InsideTask | ColdTask): Promise<string> {
  const options = { env: {}, input: '', timeoutMs: longestMs };
  const { code, stdout, stderr } = await namespace.run(process.execPath, [script, JSON.stringify(task)], options);
  if (code !== 0) throw new Error(`measuring ended with ${code}: ${stderr}`);
  return stdout;
}

/**
 * Copies that nobody else runs and that come from the disk in one go: how the kernel laid a file out in memory while it was
 * written, piece by piece, seemed to make its start longer.
 */
async function withOwnFiles(contenders: readonly Contender[], directory: string): Promise<readonly Contender[]> {
  const copies = new Map<string, string>();
  for (const { file } of contenders) {
    if (copies.has(file)) continue;
    const copy = join(directory, `${copies.size}-${basename(file)}`);
    await copyFile(file, copy);
    await evict(copy);
    // Whoever runs it first must find it in memory: pages that a start fetches one by one make all later starts slower.
    await readThrough(copy);
    copies.set(file, copy);
  }
  return contenders.map((contender) => ({ ...contender, file: copies.get(contender.file) ?? contender.file }));
}
