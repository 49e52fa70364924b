import t from 'tap';
import type { LabResponse } from '../cloud.ts';
import { compute } from './compute.ts';
import { computeFleetOf, keyOf, usualComputeBehaviour } from './compute-instance.ts';
import type { ComputeBehaviour, ComputeInstance } from './compute-instance.ts';
import { cloudPlatform, initialGcpState, nodeAccount } from './state.ts';
import type { GcpState } from './state.ts';

const zones = ['us-central1-a', 'us-central1-b'];
const ten = computeFleetOf({ count: 10, project: 'lab-project', zones, number: 0 });
const [first, second] = Object.values(ten) as [ComputeInstance, ComputeInstance];
const token = 'ya29.test';

interface CallOptions {
  readonly behaviour?: Partial<ComputeBehaviour>;
  readonly state?: Partial<GcpState>;
  readonly bearer?: string;
  readonly method?: string;
}

async function ask(
  path: string,
  { behaviour, state, bearer = token, method = 'GET' }: CallOptions,
): Promise<LabResponse> {
  const member = `serviceAccount:${nodeAccount}`;
  const whole: GcpState = {
    ...initialGcpState(),
    computeInstances: ten,
    compute: { ...usualComputeBehaviour, ...behaviour },
    accessTokens: { [token]: { member, scopes: [cloudPlatform], expiresAtMs: Number.POSITIVE_INFINITY } },
    ...state,
  };
  const headers = { authorization: `Bearer ${bearer}` };
  const host = 'compute.googleapis.com';
  const request = { service: 'compute', host, method, path: `/compute/v1/projects/${path}`, headers, body: '' };
  return compute.respond(request, whole, { nowMs: Date.now(), expiry: 'usual' });
}

interface ListBody {
  readonly items: Readonly<Record<string, { readonly instances?: readonly { readonly name: string }[] }>>;
  readonly nextPageToken?: string;
  readonly unreachables?: readonly string[];
}

const listPath = 'lab-project/aggregated/instances';

function listIn({ body }: LabResponse): ListBody {
  return JSON.parse(body) as ListBody;
}

function namesIn({ items }: ListBody): readonly string[] {
  return Object.values(items).flatMap(({ instances = [] }) => instances.map(({ name }) => name));
}

function getPath({ project, zone, name }: ComputeInstance): string {
  return `${project}/zones/${zone}/instances/${name}`;
}

await t.test('one instance, with its id as text', async (t) => {
  const answer = await ask(getPath(first), {});
  t.equal(answer.status, 200);
  t.match(JSON.parse(answer.body), { kind: 'compute#instance', id: first.id, name: first.name, status: 'RUNNING' });
});

await t.test('a list by zones, in pages that go across them', async (t) => {
  const names: string[] = [];
  let next: string | undefined;
  let pages = 0;
  do {
    const list = listIn(await ask(`${listPath}?maxResults=4${next === undefined ? '' : `&pageToken=${next}`}`, {}));
    names.push(...namesIn(list));
    next = list.nextPageToken;
    pages += 1;
  } while (next !== undefined);
  t.equal(pages, 3);
  t.same(
    names.toSorted(),
    Object.values(ten)
      .map(({ name }) => name)
      .toSorted(),
  );
});

await t.test('zones without instances have a warning', async (t) => {
  const { items } = listIn(await ask(listPath, {}));
  t.match(items['zones/europe-west4-a'], { warning: { code: /^NO_RESULTS_ON_PAGE$/ } });
});

await t.test('only the fields that are named', async (t) => {
  const fields = 'kind,items/*/instances(name,networkInterfaces(networkIP,accessConfigs/natIP)),items/*/warning/code';
  const { body } = await ask(`${listPath}?fields=${encodeURIComponent(fields)}`, {});
  const { items, ...rest } = listIn({ status: 200, headers: {}, body });
  t.strictSame(rest, { kind: 'compute#instanceAggregatedList' });
  t.strictSame(items['zones/us-central1-a']?.instances?.[0], {
    name: first.name,
    networkInterfaces: [{ networkIP: first.interfaces[0]?.ip }],
  });
  t.strictSame(items['zones/europe-west4-a'], { warning: { code: 'NO_RESULTS_ON_PAGE' } });
});

await t.test('an unreachable zone: the list names it, and a request for an instance there fails', async (t) => {
  const behaviour = { unreachableZones: ['us-central1-b'] };
  const list = listIn(await ask(`${listPath}?returnPartialSuccess=true`, { behaviour }));
  t.equal(namesIn(list).length, 5);
  t.same(list.unreachables, ['projects/lab-project/zones/us-central1-b']);
  t.equal((await ask(listPath, { behaviour })).status, 503, 'without the wish for a part');
  t.equal((await ask(getPath(second), { behaviour })).status, 503);
  t.equal((await ask(getPath(first), { behaviour })).status, 200);
});

await t.test('lists and single requests can differ', async (t) => {
  const key = keyOf(first);
  t.notOk(namesIn(listIn(await ask(listPath, { behaviour: { leftOutOfLists: [key] } }))).includes(first.name));
  t.equal((await ask(getPath(first), { behaviour: { leftOutOfLists: [key] } })).status, 200);
  t.equal((await ask(getPath(first), { behaviour: { hiddenFromGet: [key] } })).status, 404);
  t.equal((await ask(getPath(second), { behaviour: { hiddenFromGet: 'all' } })).status, 404);
});

const tooNarrow = {
  [token]: { member: `serviceAccount:${nodeAccount}`, scopes: [], expiresAtMs: Number.POSITIVE_INFINITY },
};
const refusals: readonly (readonly [what: string, path: string, options: CallOptions, status: number, body: RegExp])[] =
  [
    ['no such instance', 'lab-project/zones/us-central1-a/instances/x', {}, 404, /instances\/x' was not found/],
    ['no such project', 'nothing/zones/us-central1-a/instances/x', {}, 404, /'projects\/nothing' was not found/],
    ['no such zone', 'lab-project/zones/mars-1a/instances/x', {}, 400, /Unknown zone/],
    ['no such token', listPath, { bearer: 'x' }, 401, /UNAUTHENTICATED/],
    ['no scope', listPath, { state: { accessTokens: tooNarrow } }, 403, /ACCESS_TOKEN_SCOPE_INSUFFICIENT/],
    [
      'no permission',
      listPath,
      { state: { serviceAccounts: {} } },
      403,
      /Required 'compute\.instances\.list' permission/,
    ],
    ['too large a page', `${listPath}?maxResults=501`, {}, 400, /maxResults/],
    ['a page token of its own', `${listPath}?pageToken=x`, {}, 400, /pageToken/],
    ['another method', listPath, { method: 'POST' }, 404, /^$/],
  ];
for (const [what, path, options, status, body] of refusals) {
  await t.test(`refused: ${what}`, async (t) => {
    t.match(await ask(path, options), { status, body });
  });
}
