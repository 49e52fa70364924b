import { randomBytes } from 'node:crypto';
import t from 'tap';
import { reproduce } from './ledger.ts';
import { makeTour } from './tour.ts';

/** A round is what a person waits for; .ci/run makes 20 of them. */
const casesEachRound = 500;
const programEvery = 20;
const longestStartMs = 120_000;
const longestRoundMs = 60_000;

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
const only = process.env['POLYCLOUD_TEST_CASE'] || undefined;
const caseCount = rounds * casesEachRound;
const caseNumbers = only === undefined ? Array.from({ length: caseCount }, (_, index) => index + 1) : [Number(only)];

t.setTimeout(longestStartMs + rounds * longestRoundMs);
t.comment(`seed ${seed}, ${caseNumbers.length} cases; one of them alone: ${reproduce(seed, 'NUMBER')}`);

await t.test(`generated requests, surroundings and answers of AWS (seed ${seed})`, async (t) => {
  const { ends, problems, slowest } = await makeTour({ seed, caseNumbers, programEvery });
  const { caseNumber, outcome } = slowest() ?? {};
  const counts = [...ends].map(([end, count]) => `${count} × ${end}`).toSorted((a, b) => a.localeCompare(b));
  t.comment(`${counts.join(', ')}; the slowest, case ${caseNumber}: ${Math.round(outcome?.durationMs ?? 0)} ms`);
  for (const problem of problems) t.fail(problem);
  t.equal(problems.length, 0, 'every case ended as it may');
  if (only !== undefined) return;
  for (const end of ['login', 'failure', 'empty answer']) {
    t.ok((ends.get(`function: ${end}`) ?? 0) > caseCount / 20, `more than one case in 20 ended with: ${end}`);
    t.ok((ends.get(`program: ${end}`) ?? 0) > 0, `the executable too ended with: ${end}`);
  }
});
