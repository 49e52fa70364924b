import t from 'tap';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { labToken, otherTeamToken } from '../../../lab/clouds/digitalocean/state.ts';
import { isSighted } from '../../sightings.ts';
import { nodeOf, nodeWith, ownScope, startDigitaloceanLab } from '../digitalocean-lab.ts';

const { lab, instances, context, setDroplets } = await startDigitaloceanLab(t);
const files: Record<string, string> = {};
const fleet = [{ isGpu: true }, ...Array.from({ length: 19 }, () => ({}))];
/** The first one is a GPU Droplet. */
const [silent, ...others] = fleet.map((_each, at) => nodeOf({ id: at + 1 })) as [NodeFacts, ...NodeFacts[]];
const gone = nodeWith('digitalocean://99');

/** How the Node of a live Droplet is looked up: among few or many, with Ready nodes to verify or without. */
const ways = [
  { way: 'alone, with Ready nodes', among: 0, verified: 3 },
  { way: 'alone, without Ready nodes', among: 0, verified: 0 },
  { way: 'among many, with Ready nodes', among: 19, verified: 3 },
  { way: 'among many, without Ready nodes', among: 19, verified: 0 },
] as const;

/** Is a deletion of this node's Node one step nearer after this look-up? Its Droplet was found once before. */
async function isSightedAmong(
  facts: NodeFacts,
  { among, verified }: (typeof ways)[number],
  begin: () => Promise<void>,
): Promise<boolean> {
  const cloudScope = {
    cloud: { name: 'digitalocean', instances: instances({ files, config: { tokenFile: '/token' } }) },
    scope: ownScope,
  };
  const [found = silent] = others;
  await isSighted(cloudScope, { node: found, others: [], verify: [] }, context());
  await begin();
  const request = { node: facts, others: others.slice(0, among), verify: others.slice(0, verified) };
  return isSighted(cloudScope, request, context());
}

const fault = (given: Omit<Extract<Fault, { kind: 'status' }>, 'service' | 'kind'>) => () =>
  lab.addFault({ service: 'api', kind: 'status', ...given });
const emptyList = JSON.stringify({ droplets: [], links: {}, meta: { total: 0 } });
const notFound = JSON.stringify({ id: 'not_found', message: 'x' });

const failures: Readonly<Record<string, () => Promise<void>>> = {
  nothing: () => Promise.resolve(),
  'the lists are empty': fault({ status: 200, body: emptyList, pathPrefix: '/v2/droplets?' }),
  'the list of GPU Droplets is empty': fault({ status: 200, body: emptyList, pathPrefix: '/v2/droplets?type=gpus' }),
  'every request for one Droplet is 404': fault({ status: 404, body: notFound, pathPrefix: '/v2/droplets/' }),
  'the 404 of a proxy': fault({ status: 404, body: '<html>' }),
  'the 404 of a gateway in JSON': fault({ status: 404, body: '{"code":404}' }),
  '200 with an error body': fault({ status: 200, body: notFound }),
  'a token of another team': async () => {
    files['/token'] = otherTeamToken;
  },
  'a token without the scope': () => lab.update({ tokens: { [labToken]: { team: 'lab', scopes: [] } } }),
  'a token that was revoked': fault({ status: 401, body: '{"id":"unauthorized","message":"x"}' }),
  'it is off': () => setDroplets([{ isGpu: true, status: 'off' }, ...fleet.slice(1)]),
  'it is in an archive': () => setDroplets([{ isGpu: true, status: 'archive' }, ...fleet.slice(1)]),
  throttling: () => lab.addFault({ service: 'api', kind: 'throttle' }),
};

async function reset(): Promise<void> {
  await lab.reset();
  await setDroplets(fleet);
  files['/token'] = labToken;
}

for (const [name, begin] of Object.entries(failures)) {
  await t.test(`a live GPU Droplet is not reported as gone: ${name}`, async (t) => {
    for (const each of ways) {
      await reset();
      // Without a Ready node and without a list, nothing shows that DigitalOcean is wrong about its own Droplets.
      if (name.startsWith('every request') && each.among === 0 && each.verified === 0) continue;
      t.equal(await isSightedAmong(silent, each, begin), false, each.way);
    }
  });
}

await t.test('a Droplet that was never found is not, although others are found', async (t) => {
  for (const each of ways) {
    await reset();
    t.equal(await isSightedAmong({ ...gone, labels: {} }, each, () => Promise.resolve()), false, each.way);
  }
});

await t.test('a deleted Droplet is', async (t) => {
  for (const each of ways) {
    await reset();
    t.equal(await isSightedAmong(gone, each, () => Promise.resolve()), true, each.way);
  }
});
