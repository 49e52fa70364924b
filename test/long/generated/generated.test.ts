import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { Test } from 'tap';
import { cloudNames } from './hosts.ts';
import { reproduce } from './results.ts';
import { runCases } from './run-cases.ts';

/** A round is what a person waits for; .ci/run makes 20 of them. */
const casesEachRound = 500;
const programEvery = 20;
const longestStartMs = 120_000;
const longestRoundMs = 60_000;

/** In so many cases there is at least one such login; the rare ones are counted in full rounds only. */
const casesPerProgramEnd = 2_000;
const casesPerLogin = { node: 250, pod: 250, 'node by a proof': 1_000 };

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
const only = process.env['POLYCLOUD_TEST_CASE'] || undefined;
const caseCount = rounds * casesEachRound;
const caseNumbers = only === undefined ? Array.from({ length: caseCount }, (_, index) => index + 1) : [Number(only)];

t.setTimeout(longestStartMs + rounds * longestRoundMs);
t.comment(`seed ${seed}, ${caseNumbers.length} cases; one of them alone: ${reproduce(seed, 'NUMBER')}`);

await t.test(`generated requests, surroundings and answers of every cloud (seed ${seed})`, async (t) => {
  const { ends, problems, slowest } = await runCases({ seed, caseNumbers, programEvery });
  const { caseNumber, outcome } = slowest() ?? {};
  const counts = [...ends].map(([end, count]) => `${end}: ${count}`).toSorted((a, b) => a.localeCompare(b));
  t.comment(`${counts.join(', ')}; the slowest, case ${caseNumber}: ${Math.round(outcome?.durationMs ?? 0)} ms`);
  for (const problem of problems) t.fail(problem);
  t.equal(problems.length, 0, 'every case ended as it may');
  if (only !== undefined) return;
  t.ok(
    (ends.get('function: past the schemas') ?? 0) > caseCount / 2,
    'at least half of the inputs got past the schemas',
  );
  checkEnds(t, ends);
  checkLogins(t, ends);
});

/** Every cloud gave logins to nodes and to pods, in the usual way and across clouds. */
function checkLogins(t: Test, ends: ReadonlyMap<string, number>): void {
  for (const cloud of cloudNames) {
    for (const [who, casesEach] of Object.entries(casesPerLogin)) {
      const count = ends.get(`function: login of ${cloud} as ${who}`) ?? 0;
      t.ok(count >= Math.floor(caseCount / casesEach), `${count} logins of ${cloud} as ${who}`);
    }
  }
}

/** No kind of end is so rare that nothing is tested of it. */
function checkEnds(t: Test, ends: ReadonlyMap<string, number>): void {
  for (const end of ['login', 'failure', 'empty answer']) {
    t.ok((ends.get(`function: ${end}`) ?? 0) > caseCount / 20, `more than one case in 20 ended with: ${end}`);
    const byProgram = ends.get(`program: ${end}`) ?? 0;
    t.ok(byProgram >= Math.floor(caseCount / casesPerProgramEnd), `the executable too ended with: ${end}`);
  }
}
