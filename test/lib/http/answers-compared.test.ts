import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { encode, makeAnswer } from './made-answers.ts';
import { askNode } from './node-answer.ts';
import type { Refused, Taken } from './node-answer.ts';
import { byteByByte, latin1, readOurs } from './our-answer.ts';
import { spoil } from './spoilt-answers.ts';
import { strictness } from './strictness.ts';

/** Node's own client is the judge of what an answer is. */
const casesEachRound = 2_000;
const longestRoundMs = 60_000;

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
const only = process.env['POLYCLOUD_TEST_CASE'] || undefined;
const caseNumbers =
  only === undefined ? Array.from({ length: rounds * casesEachRound }, (_, index) => index + 1) : [Number(only)];

t.setTimeout(60_000 + rounds * longestRoundMs);

await t.test(`made answers, as Node reads them and as we do (seed ${seed})`, async (t) => {
  const counts = new Map<string, number>();
  for (const caseNumber of caseNumbers) {
    const random = createRandom(`answer ${seed} ${caseNumber}`);
    const { how, bytes, isGood } = make(random);
    const { end, problems } = await compare(random, bytes, isGood);
    counts.set(end, (counts.get(end) ?? 0) + 1);
    const said = { bytes: bytes.toString('latin1') };
    for (const problem of problems) t.fail(`case ${caseNumber}, ${how}: ${problem}`, said);
  }
  t.comment(JSON.stringify(Object.fromEntries(counts)));
  if (only !== undefined) return;
  for (const end of ['both take it', 'both refuse it', 'only Node takes it']) {
    t.ok((counts.get(end) ?? 0) > caseNumbers.length / 40, `${end}: so it was tested`);
  }
});

for (const { what, matches, example } of strictness) {
  await t.test(`only Node takes ${what}`, async (t) => {
    t.match(example, matches);
    t.match(readOurs([latin1(example)]).outcome, { refused: 'not-http' });
    t.notMatch(await askNode([latin1(example)]), { refused: /./ });
  });
}

await t.test('Node forgets whatever follows 2,000 headers, and we do not', async (t) => {
  const bytes = latin1(`HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(2_000)}Content-Length: 4\r\nlast: y\r\n\r\nbody`);
  t.match(readOurs([bytes]).outcome, { body: 'body', headers: { last: 'y' } });
  t.notMatch(await askNode([bytes]), { headers: { last: 'y' } });
});

interface Made {
  readonly how: string;
  readonly bytes: Buffer;
  readonly isGood: boolean;
}

function make(random: Random): Made {
  const answer = makeAnswer(random);
  const isGood = random.chance(0.3);
  return isGood ? { how: 'good', bytes: encode(answer), isGood } : { ...spoil(random, answer), isGood };
}

interface Comparison {
  readonly end: string;
  readonly problems: readonly string[];
}

async function compare(random: Random, bytes: Buffer, isGood: boolean): Promise<Comparison> {
  const each = readOurs(byteByByte(bytes));
  const problems = cuts(random, bytes).flatMap((parts) => unlike(each.outcome, readOurs(parts).outcome));
  if ('refused' in each.outcome) {
    const isNodes = !('refused' in (await askNode([bytes])));
    const isNamed = strictness.some(({ matches }) => matches.test(bytes.toString('latin1')));
    const isNeedless = isGood || (isNodes && !isNamed);
    return {
      end: isNodes ? 'only Node takes it' : 'both refuse it',
      problems: isNeedless ? [...problems, `${each.outcome.refused} without need`] : problems,
    };
  }
  // What follows the answer is nobody's: Node's client makes of it what the moment brings.
  const node = await askNode([bytes.subarray(0, each.readBytes)]);
  return { end: 'both take it', problems: [...problems, ...unlikeNode(each.outcome, node)] };
}

/** Whole, and cut in several places; some in each place there is. */
function cuts(random: Random, bytes: Buffer): readonly (readonly Buffer[])[] {
  const few = [[bytes], cut(random, bytes), cut(random, bytes)];
  if (bytes.length > 1_000 || random.chance(0.9)) return few;
  return [...few, ...Array.from(bytes, (_byte, at) => [bytes.subarray(0, at), bytes.subarray(at)])];
}

function cut(random: Random, bytes: Buffer): readonly Buffer[] {
  if (bytes.length === 0) return [];
  const lengthBytes = random.between(1, random.pick([3, 30, bytes.length]));
  return [bytes.subarray(0, lengthBytes), ...cut(random, bytes.subarray(lengthBytes))];
}

function unlike(one: Taken | Refused, other: Taken | Refused): readonly string[] {
  const isSame = isDeepStrictEqual(one, other) || ('refused' in one && 'refused' in other);
  return isSame ? [] : [`cut otherwise: ${JSON.stringify([one, other])}`];
}

function unlikeNode(ours: Taken, node: Taken | Refused): readonly string[] {
  if ('refused' in node) return [`only we take it; Node says: ${node.refused}`];
  const isSame = isDeepStrictEqual({ ...ours, keepsConnection: true }, { ...node, keepsConnection: true });
  const keeps = ours.keepsConnection && !node.keepsConnection ? ['Node does not keep the connection'] : [];
  return isSame ? keeps : [`Node reads it otherwise: ${JSON.stringify([ours, node])}`, ...keeps];
}
