import t from 'tap';
import type { LabDroplet } from '../../../lab/clouds/digitalocean/state.ts';
import { labToken, otherTeamToken } from '../../../lab/clouds/digitalocean/state.ts';
import { lookUp, nodeNamed, nodeOf, nodeWith, ownScope, startDigitaloceanLab, vpcLabels } from '../digitalocean-lab.ts';

const { lab, instances, context, setDroplets, requestLines } = await startDigitaloceanLab(t);

const fleet = (count: number): readonly Partial<LabDroplet>[] => Array.from({ length: count }, () => ({}));
const nodesOf = (count: number) => Array.from({ length: count }, (_, at) => nodeOf({ id: at + 1 }));

await t.test('a Droplet as a Node needs it', async (t) => {
  await setDroplets([{ publicIpv6: '2001:db8::11' }]);
  t.strictSame(await lookUp(instances(), nodesOf(1), context()), [
    {
      status: 'running',
      by: 'id',
      instance: {
        providerId: 'digitalocean://1',
        type: 's-2vcpu-4gb',
        region: 'nyc3',
        addresses: [
          { type: 'InternalIP', address: '10.132.0.11' },
          { type: 'ExternalIP', address: '192.0.2.11' },
          { type: 'ExternalIP', address: '2001:db8::11' },
        ],
        labels: vpcLabels,
      },
    },
  ]);
});

const statuses = { new: 'running', active: 'running', archive: 'running', off: 'stopped' } as const;
for (const [status, expected] of Object.entries(statuses)) {
  await t.test(`${status} is ${expected}`, async (t) => {
    await setDroplets([{ status }]);
    t.match(await lookUp(instances(), nodesOf(1), context()), [{ status: expected }]);
  });
}

await t.test('a status that is not documented, and one Droplet without a private address, hide no other', async (t) => {
  await setDroplets([{}, { privateIpv4: null }, {}]);
  const [first, second, third] = await lookUp(instances(), nodesOf(3), context());
  t.match([first, third], [{ status: 'running' }, { status: 'running' }]);
  t.match(second, { status: 'unknown', failure: { message: 'the Droplet 2 has no private IPv4 address' } });
  const droplet = { ...(await droplets())[0], status: 'hibernating' };
  await lab.addFault({ service: 'api', kind: 'status', status: 200, body: JSON.stringify({ droplet }), count: 1 });
  t.match(await lookUp(instances(), nodesOf(1), context()), [
    { status: 'unknown', failure: { message: /is hibernating, which is not a known one$/ } },
  ]);
});

await t.test('many are found in the lists of Droplets without and with a GPU', async (t) => {
  await setDroplets([...fleet(149), { isGpu: true }]);
  const results = await lookUp(instances(), nodesOf(150).slice(50), context());
  t.equal(results.length, 100);
  for (const result of results) t.match(result, { status: 'running', by: 'list' });
  t.strictSame(await requestLines(), [
    'GET /v2/droplets?type=droplets&page=1&per_page=100',
    'GET /v2/droplets?type=droplets&page=2&per_page=100',
    'GET /v2/droplets?type=gpus&page=1&per_page=100',
  ]);
});

await t.test('look-ups of one sweep share the lists', async (t) => {
  await setDroplets(fleet(30));
  const shared = instances();
  for (const from of [0, 10, 20]) await lookUp(shared, nodesOf(30).slice(from, from + 10), context());
  t.equal((await requestLines()).length, 2);
});

await t.test('a GPU Droplet is not gone if the list of GPU Droplets does not have it', async (t) => {
  await setDroplets([...fleet(10), { isGpu: true }]);
  const body = JSON.stringify({ droplets: [], links: {}, meta: { total: 0 } });
  await lab.addFault({ service: 'api', kind: 'status', status: 200, pathPrefix: '/v2/droplets?type=gpus', body });
  const results = await lookUp(instances(), nodesOf(11), context());
  t.match(results.at(-1), { status: 'running', by: 'id' });
  t.equal((await requestLines()).at(-1), 'GET /v2/droplets/11');
});

await t.test('what no list has is asked by its id, and then a Ready node too', async (t) => {
  await setDroplets(fleet(10));
  const gone = nodeWith('digitalocean://99');
  const shared = instances();
  const results = await shared.lookUp(ownScope, { nodes: [...nodesOf(10), gone], verify: nodesOf(2) }, context());
  t.match(results.get(gone.uid), { status: 'not-found', evidence: 'the Droplet 99 was not found' });
  for (const { uid } of nodesOf(2)) t.match(results.get(uid), { status: 'running', by: 'id' });
  t.strictSame((await requestLines()).slice(2), ['GET /v2/droplets/99', 'GET /v2/droplets/1', 'GET /v2/droplets/2']);
});

await t.test('a Droplet that was never found may be one of another team', async (t) => {
  await setDroplets(fleet(10));
  const byAgent = { ...nodeWith('digitalocean://99'), labels: { 'topology.kubernetes.io/region': 'nyc3' } };
  for (const among of [0, 10]) {
    const nodes = [byAgent, ...nodesOf(among)];
    const results = await instances().lookUp(ownScope, { nodes, verify: nodesOf(2) }, context());
    t.match(results.get(byAgent.uid), { status: 'unknown', failure: { message: /no label polycloud/ } });
  }
});

await t.test('a Node that is not Ready is asked by its id, whatever a list shows', async (t) => {
  await setDroplets(fleet(10));
  const nodes = nodesOf(10).map((node, at) => ({ ...node, mayBeGone: at === 0 }));
  const results = await lookUp(instances(), nodes, context());
  t.match(results[0], { status: 'running', by: 'id' });
  t.match(results[1], { status: 'running', by: 'list' });
});

await t.test('an id that a list has is not gone', async (t) => {
  await setDroplets(fleet(10));
  const body = JSON.stringify({ id: 'not_found', message: 'x' });
  await lab.addFault({ service: 'api', kind: 'status', status: 404, pathPrefix: '/v2/droplets/1', body });
  const nodes = nodesOf(10).map((node, at) => ({ ...node, mayBeGone: at === 0 }));
  t.match((await lookUp(instances(), nodes, context()))[0], {
    status: 'unknown',
    failure: { message: /the list has it$/ },
  });
});

await t.test('an element of a list that cannot be read hides no other', async (t) => {
  await setDroplets(fleet(10));
  const droplet = (await droplets())[0];
  const body = JSON.stringify({ droplets: [{ id: '1' }, droplet], meta: { total: 2 } });
  await lab.addFault({ service: 'api', kind: 'status', status: 200, pathPrefix: '/v2/droplets?', body });
  for (const result of await lookUp(instances(), nodesOf(10), context())) t.match(result, { status: 'running' });
});

await t.test('a list that does not end is a failure', async (t) => {
  const droplet = (await droplets())[0];
  const links = { pages: { next: 'https://evil.example/' } };
  const body = JSON.stringify({ droplets: [droplet], links, meta: { total: 1 } });
  await lab.addFault({ service: 'api', kind: 'status', status: 200, body });
  await t.rejects(lookUp(instances(), [nodeNamed('node-1'), nodeNamed('node-2')], context()), {
    kind: 'invalid-response',
    message: 'the list of Droplets does not end',
  });
});

const names: readonly (readonly [what: string, name: string, expected: object])[] = [
  [
    'the name of one Droplet',
    'node-1',
    { status: 'running', by: 'list', instance: { providerId: 'digitalocean://1' } },
  ],
  ['its name in lower case', 'big', { status: 'running', instance: { providerId: 'digitalocean://2' } }],
  ['its private address', '10.132.0.99', { status: 'running', instance: { providerId: 'digitalocean://3' } }],
  ['a GPU Droplet', 'gpu', { status: 'running', instance: { providerId: 'digitalocean://6' } }],
  ['the name of two', 'twin', { status: 'ambiguous', candidates: ['4', '5'] }],
  ['a part of a name', 'node', { status: 'unknown', failure: { kind: 'not-found' } }],
  ['the public address of several', '192.0.2.11', { status: 'unknown', failure: { kind: 'not-found' } }],
];
for (const [what, name, expected] of names) {
  await t.test(`a Node without a providerID: ${what}`, async (t) => {
    const gpu = { name: 'gpu', isGpu: true };
    await setDroplets([{}, { name: 'Big' }, { privateIpv4: '10.132.0.99' }, { name: 'twin' }, { name: 'twin' }, gpu]);
    t.match(await lookUp(instances(), [nodeNamed(name)], context()), [expected]);
  });
}

await t.test(
  'with a token of another team every id is missing: no Ready node is found, and no access is proven',
  async (t) => {
    await setDroplets(fleet(2));
    const files: Record<string, string> = { '/token': labToken };
    const shared = instances({ files, config: { tokenFile: '/token' } });
    t.equal(await shared.verifyAccess(ownScope, context()), false, 'nothing was found yet');
    await lookUp(shared, nodesOf(2), context());
    t.equal(await shared.verifyAccess(ownScope, context()), true);
    files['/token'] = otherTeamToken;
    const results = await shared.lookUp(ownScope, { nodes: nodesOf(1), verify: nodesOf(2) }, context());
    for (const result of results.values()) t.match(result, { status: 'not-found' });
    t.equal(await shared.verifyAccess(ownScope, context()), false);
    files['/token'] = labToken;
    t.equal(await shared.verifyAccess(ownScope, context()), true);
  },
);

await t.test('Droplets that were only found in a list prove the access too', async (t) => {
  await setDroplets(fleet(10));
  const shared = instances();
  await lookUp(shared, nodesOf(10), context());
  t.equal(await shared.verifyAccess(ownScope, context()), true);
});

await t.test('once DigitalOcean throttles, a look-up sends nothing more', async (t) => {
  await lab.addFault({ service: 'api', kind: 'throttle', retryAfterS: 29 });
  const error: unknown = await lookUp(instances(), nodesOf(5), context()).catch((failure: unknown) => failure);
  t.match(error, { kind: 'throttled', retryAfterMs: 29_000 });
  t.ok((await requestLines()).length <= 5);
});

await t.test('a scope that is not ours', async (t) => {
  const nowhere = { cloud: 'digitalocean', key: 'digitalocean/nowhere' };
  const node = nodeWith('digitalocean://x');
  t.strictSame(instances().scopesOf(node), [nowhere]);
  const results = await instances().lookUp(nowhere, { nodes: [node], verify: [] }, context());
  t.match(results.get(node.uid), { status: 'unknown', failure: { kind: 'misconfigured' } });
  t.equal(await instances().verifyAccess(nowhere, context()), false);
  t.strictSame(await requestLines(), []);
});

/** As the API shows them, apart from the log of requests. */
async function droplets(): Promise<readonly object[]> {
  const url = `${lab.url('api')}/v2/droplets?per_page=200`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${labToken}` } });
  return ((await response.json()) as { readonly droplets: readonly object[] }).droplets;
}
