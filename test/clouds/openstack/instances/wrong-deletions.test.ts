import t from 'tap';
import type { LookupContext, NodeFacts } from '../../../../clouds/cloud.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import type { LabServer } from '../../../lab/clouds/openstack/server.ts';
import { labCredentialId, labProjectId, otherProjectId } from '../../../lab/clouds/openstack/state.ts';
import type { OpenstackBehaviour } from '../../../lab/clouds/openstack/state.ts';
import { isSighted } from '../../sightings.ts';
import { labelsOf, nodeOf, nodeWith, ownScope, startOpenstackLab } from '../openstack-lab.ts';

const { lab, instances: create, context, reset } = await startOpenstackLab(t);
const fleet = serverFleetOf({ count: 8, projectId: labProjectId, number: 0 });
const [silent, ...others] = Object.values(fleet.servers) as [LabServer, ...LabServer[]];
const gone = nodeWith('openstack:///b0000000-0000-4000-8000-999999999999');

/** How the Node of a live server is looked up: among few or many, with Ready nodes to verify or without. */
const ways = [
  { way: 'alone, with Ready nodes', among: 0, verified: 3 },
  { way: 'alone, without Ready nodes', among: 0, verified: 0 },
  { way: 'among many, with Ready nodes', among: 7, verified: 3 },
  { way: 'among many, without Ready nodes', among: 7, verified: 0 },
] as const;

/** Is a deletion of this node's Node one step nearer? The controller has found its nodes before things went wrong. */
async function isSightedAfter(
  begin: () => Promise<void>,
  node: NodeFacts,
  { among, verified }: (typeof ways)[number],
): Promise<boolean> {
  await reset();
  await lab.update(fleet);
  const instances = create({});
  await instances.lookUp(ownScope, { nodes: others.map(nodeOf), verify: [] }, context());
  await begin();
  const request = {
    node,
    others: others.slice(0, among).map(nodeOf),
    verify: others.slice(0, verified).map(nodeOf),
  };
  return isSighted({ cloud: { name: 'openstack', instances }, scope: ownScope }, request, later(context()));
}

/** The list of the first look-up is too old by then. */
function later(given: LookupContext): LookupContext {
  const monotonicMs = (): number => given.clock.monotonicMs() + 10_000;
  return { ...given, deadlineAtMs: given.deadlineAtMs + 10_000, clock: { ...given.clock, monotonicMs } };
}

const behaviour = (change: Partial<OpenstackBehaviour>) => () => lab.update({ behaviour: change });
const fault = (given: Omit<Extract<Fault, { kind: 'status' }>, 'service' | 'kind'>) => () =>
  lab.addFault({ service: 'nova', kind: 'status', ...given });
const status = (now: string) => () => lab.update({ servers: { [silent.id]: { ...silent, status: now } } });
const roles =
  (given: readonly string[], projectId = labProjectId) =>
  async () => {
    const credential = (await lab.state()).applicationCredentials[labCredentialId];
    if (credential === undefined) throw new Error('the lab has changed');
    await lab.update({
      applicationCredentials: { [labCredentialId]: { ...credential, roles: given, projectId } },
      tokens: {},
    });
    await revokeTokens();
  };
const everyShow = '/v2.1/servers/b';
const everyList = '/v2.1/servers/detail';
const faultBody = (message: string): string => JSON.stringify({ itemNotFound: { code: 404, message } });

const failures: Readonly<Record<string, () => Promise<void>>> = {
  nothing: () => Promise.resolve(),
  'every server is 404': behaviour({ hiddenFromShow: 'all' }),
  'the list leaves it out': behaviour({ leftOutOfLists: [silent.id] }),
  'the list is empty': fault({ status: 200, body: '{"servers":[]}', pathPrefix: everyList }),
  'the list does not end': behaviour({ endless: true, pageMax: 3 }),
  'the 404 of a proxy': fault({ status: 404, body: '<html>', pathPrefix: everyShow }),
  'the 404 of another path': fault({
    status: 404,
    body: faultBody('The resource could not be found.'),
    pathPrefix: everyShow,
  }),
  'the 404 of another server': fault({
    status: 404,
    body: faultBody('Instance b0000000-0000-4000-8000-000000000099 could not be found.'),
    pathPrefix: everyShow,
  }),
  '200 with an empty object': fault({ status: 200, body: '{}', pathPrefix: everyShow }),
  '200 with another server': fault({ status: 200, body: '{"server":{"id":"x"}}', pathPrefix: everyShow }),
  '300 of a service that has several versions': fault({ status: 300, body: '{}' }),
  'an error of Nova': fault({ status: 500, body: '{"computeFault":{"code":500,"message":"x"}}' }),
  throttling: () => lab.addFault({ service: 'nova', kind: 'throttle' }),
  'no Nova': () => lab.addFault({ service: 'nova', kind: 'refuse' }),
  'no Neutron': () => lab.addFault({ service: 'neutron', kind: 'refuse' }),
  'credentials of another project': roles(['reader'], otherProjectId),
  'credentials of another project, and no Ready node': roles(['reader'], otherProjectId),
  'no role that may read': roles(['none']),
  'no Keystone, and the token is revoked': async () => {
    await revokeTokens();
    await lab.addFault({ service: 'keystone', kind: 'refuse' });
  },
  'it is off': status('SHUTOFF'),
  'it is in an error': status('ERROR'),
  'it is shelved': status('SHELVED_OFFLOADED'),
  'it was deleted, and can be restored': status('SOFT_DELETED'),
  'its status is a new one': status('DREAMING'),
};

for (const [name, begin] of Object.entries(failures)) {
  await t.test(`a live server is not reported as gone: ${name}`, async (t) => {
    for (const each of ways) t.equal(await isSightedAfter(begin, nodeOf(silent), each), false, each.way);
  });
}

await t.test('a deleted server is, also while Neutron is away', async (t) => {
  const begins = [() => Promise.resolve(), () => lab.addFault({ service: 'neutron', kind: 'refuse' })];
  for (const begin of begins) {
    for (const each of ways) t.equal(await isSightedAfter(begin, gone, each), true, each.way);
  }
});

await t.test('a Nova that has forgotten all servers is found out by the Ready nodes', async (t) => {
  const forget = async (): Promise<void> => {
    await fault({ status: 200, body: '{"servers":[]}', pathPrefix: '/v2.1/servers?' })();
    await fault({ status: 200, body: '{"servers":[]}', pathPrefix: everyList })();
    await behaviour({ hiddenFromShow: 'all' })();
  };
  for (const each of ways.filter(({ verified }) => verified > 0)) {
    t.equal(await isSightedAfter(forget, nodeOf(silent), each), false, each.way);
  }
});

await t.test('a deleted server that Nova still shows is terminated', async (t) => {
  for (const each of ways) t.equal(await isSightedAfter(status('DELETED'), nodeOf(silent), each), true, each.way);
});

const projectOnly = { 'polycloud.dev/openstack-project-id': labProjectId };
for (const labels of [labelsOf(otherProjectId), labelsOf(labProjectId, 'RegionTwo'), projectOnly, {}]) {
  await t.test(`a Node with ${JSON.stringify(labels)} is not deleted, although others are found`, async (t) => {
    const node = { ...gone, labels };
    for (const each of ways) t.equal(await isSightedAfter(() => Promise.resolve(), node, each), false, each.way);
  });
}

async function revokeTokens(): Promise<void> {
  const { tokens } = await lab.state();
  await lab.update({
    tokens: Object.fromEntries(Object.entries(tokens).map(([token, each]) => [token, { ...each, expiresAtMs: 1 }])),
  });
}
