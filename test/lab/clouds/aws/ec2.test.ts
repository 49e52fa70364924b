import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import t from 'tap';
import type { LabResponse } from '../cloud.ts';
import { ec2 } from './ec2.ts';
import { fleetOf } from './ec2-fleet.ts';
import { usualEc2Behaviour } from './ec2-instance.ts';
import type { Ec2Behaviour, Ec2Instance } from './ec2-instance.ts';
import { initialAwsState, labUserKey } from './state.ts';
import type { AwsState } from './state.ts';

const account = '123456789012';
const fleet = { region: 'us-west-2', zoneLetters: ['a', 'b'], accountId: account, launchedAtMs: 0, number: 0 };
const ten = fleetOf({ ...fleet, count: 10 });
const [first, second] = Object.values(ten) as [Ec2Instance, Ec2Instance];

interface CallOptions {
  readonly instances?: Record<string, Ec2Instance>;
  readonly behaviour?: Partial<Ec2Behaviour>;
  readonly change?: (state: AwsState) => AwsState;
  readonly region?: string;
  readonly nowMs?: number;
}

async function ask(input: Record<string, string>, options: CallOptions): Promise<LabResponse> {
  const { instances = ten, behaviour, change = (state: AwsState) => state, region = 'us-west-2' } = options;
  const initial = { ...initialAwsState(), ec2Instances: instances, ec2: { ...usualEc2Behaviour, ...behaviour } };
  const nowMs = options.nowMs ?? Date.now();
  const host = `ec2.${region}.amazonaws.com`;
  const body = new URLSearchParams({ Action: 'DescribeInstances', Version: '2016-11-15', ...input }).toString();
  const signer = new SignatureV4({ credentials: labUserKey, region, service: 'ec2', sha256: Sha256 });
  const request = { method: 'POST', protocol: 'https:', hostname: host, path: '/', body };
  const { headers } = await signer.sign({ ...request, headers: { host } }, { signingDate: new Date(nowMs) });
  const asked = { service: 'ec2', host, method: 'POST', path: '/', headers, body };
  return ec2.respond(asked, change(initial), { nowMs, expiry: 'usual' });
}

function idsIn({ body }: LabResponse): readonly string[] {
  return [...body.matchAll(/<instanceId>([^<]+)</g)].map(([, id = '']) => id);
}

const byIds = (...ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(ids.map((id, index) => [`InstanceId.${index + 1}`, id]));
const filter = (name: string, ...values: readonly string[]): Record<string, string> => ({
  'Filter.1.Name': name,
  ...Object.fromEntries(values.map((value, index) => [`Filter.1.Value.${index + 1}`, value])),
});

await t.test('by ids, in the order they were asked for', async (t) => {
  const answer = await ask(byIds(second.instanceId, first.instanceId), {});
  t.same([answer.status, idsIn(answer)], [200, [second.instanceId, first.instanceId]]);
});

const missing = ['i-00000000000000aaa', 'i-00000000000000bbb'] as const;
const refusals: readonly (readonly [
  what: string,
  input: Record<string, string>,
  world: CallOptions,
  expected: object,
])[] = [
  ['an unknown id', byIds(missing[0]), {}, notFound(`ID '${missing[0]}' does`)],
  ['two of them', byIds(first.instanceId, ...missing), {}, notFound(`IDs '${missing.join(', ')}' do`)],
  ['only some are named', byIds(...missing), { behaviour: { namedMax: 1 } }, notFound(`ID '${missing[0]}' does`)],
  [
    'one that is none',
    byIds('i-x'),
    {},
    { status: 400, body: /InvalidInstanceID\.Malformed<.*Invalid id: &quot;i-x&quot;/ },
  ],
  [
    'one of another region',
    byIds(first.instanceId),
    { region: 'eu-west-1' },
    notFound(`ID '${first.instanceId}' does`),
  ],
  [
    'one of another account, where EC2 says so',
    byIds(first.instanceId),
    { behaviour: { foreign: 'not-found' }, change: foreignUser },
    notFound(`ID '${first.instanceId}' does`),
  ],
  [
    'one that is too new',
    byIds(first.instanceId),
    { behaviour: { invisibleForMs: 1e15 } },
    notFound(`ID '${first.instanceId}' does`),
  ],
  [
    'one that was terminated long ago',
    byIds(first.instanceId),
    { instances: { [first.instanceId]: { ...first, state: 'terminated', terminatedAtMs: 0 } } },
    notFound(`ID '${first.instanceId}' does`),
  ],
  [
    'a broken zone',
    byIds(second.instanceId),
    { behaviour: { brokenZones: ['us-west-2b'] } },
    { status: 500, body: /InternalError/ },
  ],
  [
    'a page size with ids',
    { ...byIds(first.instanceId), MaxResults: '5' },
    {},
    { body: /InvalidParameterCombination/ },
  ],
  ['a small page', { MaxResults: '4' }, {}, { status: 400, body: /InvalidParameterValue/ }],
  ['a token of somebody else', { NextToken: 'x' }, {}, { status: 400, body: /pagination token/ }],
  ['a filter that is none', filter('colour', 'red'), {}, { status: 400, body: /The filter 'colour' is invalid/ }],
  [
    'too many values',
    filter('instance-id', ...Array.from({ length: 201 }, (_each, index) => `i-${index}`)),
    {},
    { status: 400, body: /FilterLimitExceeded/ },
  ],
  ['another action', { Action: 'TerminateInstances' }, {}, { status: 400, body: /InvalidAction/ }],
  [
    'who may not',
    {},
    { change: (state) => ({ ...state, users: { 'lab-user': { id: 'A', permissions: [] } } }) },
    { status: 403, body: /UnauthorizedOperation<.*not authorized to perform: ec2:DescribeInstances because no/ },
  ],
  [
    'keys that nobody has',
    {},
    { change: (state) => ({ ...state, accessKeys: {} }) },
    { status: 401, body: /AuthFailure/ },
  ],
];
for (const [what, input, world, expected] of refusals) {
  await t.test(`refused: ${what}`, async (t) => {
    t.match(await ask(input, world), expected);
  });
}

function notFound(which: string): object {
  return {
    status: 400,
    body: new RegExp(`InvalidInstanceID.NotFound</Code><Message>The instance ${which} not exist<`),
  };
}

function foreignUser(state: AwsState): AwsState {
  return {
    ...state,
    users: { 'lab-user': { id: 'A', permissions: ['ec2:DescribeInstances'], accountId: '999988887777' } },
  };
}

const answers: readonly (readonly [
  what: string,
  input: Record<string, string>,
  world: CallOptions,
  ids: readonly string[],
])[] = [
  ['another account’s are left out', byIds(first.instanceId), { change: foreignUser }, []],
  ['an empty list, whatever was asked', byIds(missing[0]), { behaviour: { answers: 'empty' } }, []],
  [
    'some are left out',
    byIds(first.instanceId, second.instanceId),
    { behaviour: { leftOut: [first.instanceId] } },
    [second.instanceId],
  ],
  ['by name', filter('private-dns-name', second.privateDnsName), {}, [second.instanceId]],
  ['by a pattern', filter('private-dns-name', 'ip-10-0-0-1.*'), {}, [second.instanceId]],
  ['by a pattern with a dot', filter('private-dns-name', 'ip-10-0-0-1?us*'), {}, [second.instanceId]],
  ['by id, by filter', filter('instance-id', first.instanceId, ...missing), {}, [first.instanceId]],
  [
    'by a tag',
    filter('tag:role', 'x'),
    { instances: { a: { ...first, tags: { role: 'x' } }, b: second } },
    [first.instanceId],
  ],
  ['of another region', {}, { region: 'eu-west-1' }, []],
  [
    'broken zones hurt only who asks for them',
    byIds(first.instanceId),
    { behaviour: { brokenZones: ['us-west-2b'] } },
    [first.instanceId],
  ],
  [
    'terminated a moment ago',
    byIds(first.instanceId),
    { instances: { [first.instanceId]: { ...first, state: 'terminated', terminatedAtMs: Date.now() } } },
    [first.instanceId],
  ],
];
for (const [what, input, world, ids] of answers) {
  await t.test(`answered: ${what}`, async (t) => {
    const answer = await ask(input, world);
    t.same([answer.status, idsIn(answer)], [200, ids]);
  });
}

await t.test('pages, until there is no next', async (t) => {
  const seen: string[] = [];
  let token: string | undefined;
  let pages = 0;
  do {
    const answer = await ask({ MaxResults: '6', ...(token && { NextToken: token }) }, {});
    seen.push(...idsIn(answer));
    token = /<nextToken>([^<]+)</.exec(answer.body)?.[1];
    pages += 1;
  } while (token !== undefined);
  t.same([pages, seen], [2, Object.keys(ten)]);
});

await t.test('five thousand are served quickly', async (t) => {
  const instances = fleetOf({ ...fleet, count: 5_000, number: 3 });
  const ids = Object.keys(instances).slice(0, 500);
  const startedAtMs = performance.now();
  t.equal(idsIn(await ask(byIds(...ids), { instances })).length, 500);
  t.equal(idsIn(await ask(filter('instance-id', ...ids.slice(0, 200)), { instances })).length, 200);
  t.ok(performance.now() - startedAtMs < 3_000);
});
