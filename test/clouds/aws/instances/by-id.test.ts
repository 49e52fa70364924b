import t from 'tap';
import type { DescribeResult } from '../../../../clouds/aws/instances/describe.ts';
import type { DescribedInstance } from '../../../../clouds/aws/instance.ts';
import { filterValuesMax, lookUpByIds, inChunks } from '../../../../clouds/aws/instances/by-id.ts';
import type { LookupId, IdQueries } from '../../../../clouds/aws/instances/by-id.ts';
import { Failure } from '../../../../lib/failure.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';

/** What an id is in the EC2 that is played here. */
type IdKind = 'there' | 'unknown' | 'malformed' | 'foreign';

interface SimulatedId extends LookupId {
  readonly kind: IdKind;
  readonly zone: string;
}

interface Behavior {
  readonly brokenZones: readonly string[];
  /** How many bad ids a refusal names. 0: it names none. */
  readonly namedMax: number;
  /** More than this many instances are too large an answer. */
  readonly answerMax: number;
}

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] ?? 1) * 300;

for (const part of ['few bad', 'many bad', 'all bad'] as const) {
  await t.test(`random batches, ${part}: a verdict for each, and the right one`, async (t) => {
    const label = `find-by-id ${part}`;
    t.comment(`seed: ${label}`);
    const random = createRandom(label);
    for (let round = 0; round < rounds; round++) {
      const wrong = await simulateRound(random, { 'few bad': 0.03, 'many bad': 0.4, 'all bad': 1 }[part]);
      if (wrong !== undefined) t.fail(`round ${round}: ${wrong}`);
    }
    t.ok(rounds > 0);
  });
}

async function simulateRound(random: Random, badChance: number): Promise<string | undefined> {
  const played = Array.from({ length: random.between(1, 500) }, (_each, index): SimulatedId => {
    const kind = random.chance(badChance) ? random.pick(['unknown', 'malformed', 'foreign'] as const) : 'there';
    return { instanceId: `i-${random.pick(['', '0'])}${index}`, zone: random.pick(['a', 'b', 'c']), kind };
  });
  const ways: Behavior = {
    brokenZones: random.chance(0.3) ? [random.pick(['a', 'b', 'c'])] : [],
    namedMax: random.pick([0, 1, 2, 1_000]),
    answerMax: random.pick([7, 200, 1_000]),
  };
  const ec2 = simulateEc2(played, ways);
  const verdicts = await lookUpByIds(played, ec2.questions);
  if (verdicts.size !== new Set(played.map(({ instanceId }) => instanceId)).size) return 'not a verdict for each';
  if (ec2.asked() > 300) return `${ec2.asked()} questions`;
  return played.map((each) => mistakeIn(each, verdicts.get(each.instanceId)?.status, ways)).find((each) => each);
}

/** Only existing instances are described, only refused ids are not-found, and no existing instance is hidden. */
function mistakeIn(
  { kind, zone, instanceId }: SimulatedId,
  lookup: string | undefined,
  ways: Behavior,
): string | undefined {
  const mistake = `${instanceId} is ${kind} and was ${lookup}`;
  if (kind === 'there' && lookup === 'unknown' && ways.brokenZones.includes(zone)) return undefined;
  if (kind === 'there') return lookup === 'described' ? undefined : mistake;
  if (kind === 'unknown') return lookup === 'not-found' || lookup === 'unknown' ? undefined : mistake;
  return lookup === 'unknown' ? undefined : mistake;
}

function simulateEc2(played: readonly SimulatedId[], ways: Behavior): { questions: IdQueries; asked(): number } {
  const known = new Map(played.map((each) => [each.instanceId, each]));
  let asked = 0;
  const respond = (ids: readonly string[]): DescribeResult => {
    asked += 1;
    const there = ids.flatMap((id) => known.get(id) ?? []).filter(({ kind }) => kind === 'there');
    if (there.some(({ zone }) => ways.brokenZones.includes(zone))) throw failure('unavailable');
    if (there.length > ways.answerMax) throw failure('misconfigured', new NetworkError('too-large', ''));
    return { is: 'instances', target: 'ec2.example', instances: there.map(described) };
  };
  return {
    asked: () => asked,
    questions: {
      byIds: async (ids) => refusalOf(ids, known, ways.namedMax, () => (asked += 1)) ?? respond(ids),
      byFilter: async (ids) => {
        if (ids.length > filterValuesMax) throw new Error(`${ids.length} values in a filter`);
        return respond(ids);
      },
    },
  };
}

function refusalOf(
  ids: readonly string[],
  known: ReadonlyMap<string, SimulatedId>,
  namedMax: number,
  count: () => void,
): DescribeResult | undefined {
  const bad = (kind: IdKind): readonly string[] => ids.filter((id) => known.get(id)?.kind === kind);
  const [malformed, unknown] = [bad('malformed'), bad('unknown')];
  if (malformed.length + unknown.length === 0) return undefined;
  count();
  if (malformed.length > 0) {
    const quote = namedMax === 0 ? 'Invalid id' : `Invalid id: "${malformed[0] ?? ''}"`;
    return { is: 'bad-ids', reason: 'malformed', evidence: quote, failure: failure('denied') };
  }
  const quote = `The instance IDs '${unknown.slice(0, namedMax).join(', ')}' do not exist`;
  return { is: 'bad-ids', reason: 'not-found', evidence: quote, failure: failure('denied') };
}

function failure(kind: Failure['kind'], cause?: unknown): Failure {
  return new Failure(kind, 'it failed', { remedy: 'wait', cause });
}

function described({ instanceId }: SimulatedId): DescribedInstance {
  return {
    instanceId,
    ownerId: '123456789012',
    state: 'running',
    type: undefined,
    zone: undefined,
    zoneId: undefined,
    privateDnsName: undefined,
    publicDnsName: undefined,
    publicIp: undefined,
    interfaces: [],
  };
}

await t.test('an id is not taken for the beginning of another', async (t) => {
  const played: readonly SimulatedId[] = [
    { instanceId: 'i-1', zone: 'a', kind: 'there' },
    { instanceId: 'i-12', zone: 'a', kind: 'unknown' },
    { instanceId: 'i-123', zone: 'a', kind: 'there' },
  ];
  const verdicts = await lookUpByIds(
    played,
    simulateEc2(played, { brokenZones: [], namedMax: 9, answerMax: 9 }).questions,
  );
  t.same([...verdicts].map(([id, { status }]) => `${id} ${status}`).toSorted(), [
    'i-1 described',
    'i-12 not-found',
    'i-123 described',
  ]);
});

const finals: readonly (readonly [kind: Failure['kind'], questions: number])[] = [
  ['throttled', 1],
  ['denied', 1],
  ['invalid-response', 1],
  ['misconfigured', 1],
  ['unavailable', 3],
];
for (const [kind, questions] of finals) {
  await t.test(`${kind}, for two zones: ${questions} questions and not a storm`, async (t) => {
    let asked = 0;
    const refuse = async (): Promise<DescribeResult> => {
      asked += 1;
      throw failure(kind);
    };
    const ids = Array.from({ length: 100 }, (_each, index) => ({ instanceId: `i-${index}`, zone: `z${index % 2}` }));
    const verdicts = await lookUpByIds(ids, { byIds: refuse, byFilter: refuse });
    t.same([verdicts.size, asked], [100, questions]);
    t.ok([...verdicts.values()].every((verdict) => verdict.status === 'unknown' && verdict.failure.kind === kind));
  });
}

await t.test('a region out of reach is not asked zone by zone', async (t) => {
  let asked = 0;
  const refuse = async (): Promise<DescribeResult> => {
    asked += 1;
    throw failure('unavailable', new NetworkError('refused', ''));
  };
  const ids = ['a', 'b', 'c'].map((zone) => ({ instanceId: `i-${zone}`, zone }));
  await lookUpByIds(ids, { byIds: refuse, byFilter: refuse });
  t.equal(asked, 1);
});

await t.test('what is no failure of asking is not swallowed', async (t) => {
  const questions = {
    byIds: async () => Promise.reject(new TypeError('a mistake')),
    byFilter: async () => Promise.reject(new TypeError('a mistake')),
  };
  await t.rejects(lookUpByIds([{ instanceId: 'i-1', zone: 'a' }], questions), { message: 'a mistake' });
});

await t.test('chunks', (t) => {
  t.same(inChunks([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  t.same(inChunks([], 2), []);
  t.end();
});
