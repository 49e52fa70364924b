import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import type { Test } from 'tap';
import { createRandom } from '../../support/random.ts';
import { redact } from '../generated/redaction.ts';
import { startWatchdog } from '../generated/watchdog.ts';
import type { FuzzTarget, FuzzCase } from './target.ts';

/** Each target runs for `POLYCLOUD_FUZZ_MS`. With `POLYCLOUD_TEST_CASE` only that case runs. */
const fuzzMs = Number(process.env['POLYCLOUD_FUZZ_MS'] || '20000');
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
const only = process.env['POLYCLOUD_TEST_CASE'] || undefined;

const problemsMax = 5;
const caseMs = 1_000;
/** A case that never ends holds up this process, so another thread ends it. */
const stuckMs = 30_000;
const casesPerEnd = 1_000;
const casesPerPause = 50;
const plantedCasesMax = 50_000;
const growthBytesMax = 16_000_000;
const warmUpShare = 0.25;
const collections = 5;
const collectionEveryMs = 50;

t.setTimeout(300_000);

/** A file's targets, one after the other. */
export async function fuzz(file: string, targets: readonly FuzzTarget[]): Promise<void> {
  for (const target of targets) {
    const again = `POLYCLOUD_TEST_SEED=${seed} POLYCLOUD_TEST_CASE=NUMBER npm test -- ${file}`;
    await t.test(`${target.name} (seed ${seed})`, (t) => fuzzOne(t, target, again));
    if (only === undefined) {
      await t.test(`the checks of ${target.name} find faults`, (t) => checkPlantedFaults(t, target));
    }
    await target.close?.();
  }
}

async function fuzzOne(t: Test, target: FuzzTarget, again: string): Promise<void> {
  const { caseCount, ends, problems, growthBytes } = await run(target, again);
  for (const problem of problems) {
    t.fail(problem);
  }
  t.equal(problems.length, 0, `${caseCount} cases; to repeat one: ${again}`);
  if (only !== undefined) {
    return;
  }
  t.comment([...ends].map(([end, count]) => `${end}: ${count}`).join(', '));
  for (const end of target.ends) {
    t.ok((ends.get(end) ?? 0) >= Math.floor(caseCount / casesPerEnd), `${ends.get(end) ?? 0} cases ended with: ${end}`);
  }
  t.ok(growthBytes < growthBytesMax, `memory grew by ${Math.round(growthBytes / 1_000)} kB`);
}

interface FuzzRun {
  readonly caseCount: number;
  readonly ends: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
  readonly growthBytes: number;
}

async function run({ name, runCase, share = 1 }: FuzzTarget, again: string): Promise<FuzzRun> {
  const ends = new Map<string, number>();
  const problems: string[] = [];
  // It would come as a line of its own on standard error.
  const record = ({ message }: Error): void =>
    void problems.push(`before case ${caseCount + 1}, a warning: ${redact(message)}`);
  process.on('warning', record);
  const watchdog = startWatchdog(`${name}: ${again.replace('NUMBER', '')}`, stuckMs);
  const startedAtMs = performance.now();
  let warmBytes: number | undefined;
  let caseCount = 0;
  const isOver = (): boolean =>
    problems.length >= problemsMax ||
    (only !== undefined ? caseCount > 0 : performance.now() - startedAtMs > fuzzMs * share);
  while (!isOver()) {
    caseCount += 1;
    const caseNumber = only === undefined ? caseCount : Number(only);
    watchdog.begin(caseNumber);
    const { end, problems: found } = await runTimed(runCase, `${seed} ${name} ${caseNumber}`);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    const repeat = again.replace('NUMBER', String(caseNumber));
    problems.push(
      ...found.map((problem) => `case ${caseNumber}: ${redact(problem.slice(0, 3_000))}; to repeat it: ${repeat}`),
    );
    if (caseCount % casesPerPause === 0) {
      await setImmediate();
    }
    if (performance.now() - startedAtMs > fuzzMs * share * warmUpShare) {
      warmBytes ??= await usedBytes();
    }
  }
  process.off('warning', record);
  await watchdog.end();
  return { caseCount, ends, problems, growthBytes: warmBytes === undefined ? 0 : (await usedBytes()) - warmBytes };
}

/** A case may be slow once, when the machine is busy. */
async function runTimed(runCase: FuzzCase, label: string): Promise<Awaited<ReturnType<FuzzCase>>> {
  const timed = async (): Promise<readonly [Awaited<ReturnType<FuzzCase>>, number]> => {
    const startedAtMs = performance.now();
    return [await runCase(createRandom(label)), performance.now() - startedAtMs];
  };
  const [result, durationMs] = await timed();
  if (durationMs < caseMs) {
    return result;
  }
  const [, againMs] = await timed();
  if (againMs < caseMs) {
    return result;
  }
  return { ...result, problems: [...result.problems, `it takes ${Math.round(againMs)} ms`] };
}

async function checkPlantedFaults(t: Test, { name, planted }: FuzzTarget): Promise<void> {
  for (const [fault, play] of Object.entries(planted)) {
    let caseNumber = 0;
    let found: readonly string[] = [];
    while (found.length === 0 && caseNumber < plantedCasesMax) {
      caseNumber += 1;
      found = (await play(createRandom(`planted ${name} ${caseNumber}`))).problems;
      if (caseNumber % casesPerPause === 0) {
        await setImmediate();
      }
    }
    t.ok(found.length > 0, `${fault}: found in case ${caseNumber}`);
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** V8 gives memory of buffers back a while after the collection, so the least of several counts. */
async function usedBytes(): Promise<number> {
  const counts: number[] = [];
  for (let count = 0; count < collections; count += 1) {
    collectGarbage();
    await setTimeout(collectionEveryMs);
    const { heapUsed, external } = process.memoryUsage();
    counts.push(heapUsed + external);
  }
  return Math.min(...counts);
}
