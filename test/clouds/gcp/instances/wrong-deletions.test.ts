import t from 'tap';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { computeFleetOf, keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeBehaviour, ComputeInstance, ComputeStatus } from '../../../lab/clouds/gcp/compute-instance.ts';
import { getInstances, listInstances, nodeAccount } from '../../../lab/clouds/gcp/state.ts';
import { isSighted } from '../../sightings.ts';
import { nodeOf, nodeWith, ownScope, startComputeLab } from '../compute-lab.ts';

const { lab, instances: create, context } = await startComputeLab(t);
const zones = ['us-central1-a', 'us-central1-b'];
const fleet = computeFleetOf({ count: 20, project: 'lab-project', zones, number: 0 });
const [silent, ...others] = Object.values(fleet) as [ComputeInstance, ...ComputeInstance[]];
const gone = nodeWith('gce://lab-project/us-central1-a/gone');

/** How the Node of a live instance is looked up: among few or many, with Ready nodes to verify or without. */
const ways = [
  { way: 'alone, with Ready nodes', among: 0, verified: 3 },
  { way: 'alone, without Ready nodes', among: 0, verified: 0 },
  { way: 'among many, with Ready nodes', among: 19, verified: 3 },
  { way: 'among many, without Ready nodes', among: 19, verified: 0 },
] as const;

/** Is a deletion of this node's Node one step nearer after this look-up? */
async function isSightedAmong(facts: NodeFacts, { among, verified }: (typeof ways)[number]): Promise<boolean> {
  const cloudScope = { cloud: { name: 'gcp', instances: create({}) }, scope: ownScope };
  const request = {
    node: facts,
    others: others.slice(0, among).map(nodeOf),
    verify: others.slice(0, verified).map(nodeOf),
  };
  return isSighted(cloudScope, request, context());
}

const compute = (behaviour: Partial<ComputeBehaviour>) => () => lab.update({ compute: behaviour });
const fault = (given: Omit<Extract<Fault, { kind: 'status' }>, 'service' | 'kind'>) => () =>
  lab.addFault({ service: 'compute', kind: 'status', ...given });
const permissions = (allowed: readonly string[]) => async () => {
  const account = (await lab.state()).serviceAccounts[nodeAccount];
  if (account === undefined) throw new Error('the lab has changed');
  await lab.update({ serviceAccounts: { [nodeAccount]: { ...account, permissions: allowed } } });
};
const status = (now: ComputeStatus) => () =>
  lab.update({ computeInstances: { [keyOf(silent)]: { ...silent, status: now } } });
const everyGet = '/compute/v1/projects/lab-project/zones/';
const everyList = '/compute/v1/projects/lab-project/aggregated/';
const emptyList = JSON.stringify({ kind: 'compute#instanceAggregatedList', items: {} });
const unreadZoneList = JSON.stringify({
  kind: 'compute#instanceAggregatedList',
  items: {},
  unreachables: [`projects/lab-project/zones/${silent.zone}`],
});
const errorBody = JSON.stringify({ error: { code: 404, message: 'x', errors: [{ reason: 'notFound' }] } });

const failures: Readonly<Record<string, () => Promise<void>>> = {
  nothing: () => Promise.resolve(),
  'the list is whole, and every request for one instance is 404': compute({ hiddenFromGet: 'all' }),
  'this instance alone is 404': compute({ hiddenFromGet: [keyOf(silent)] }),
  'the list leaves it out': compute({ leftOutOfLists: [keyOf(silent)] }),
  'the list is empty': fault({ status: 200, body: emptyList, pathPrefix: everyList }),
  'it is 404, and the list names its zone as unread': async () => {
    await compute({ hiddenFromGet: [keyOf(silent)] })();
    await fault({ status: 200, body: unreadZoneList, pathPrefix: everyList })();
  },
  'the list does not end': compute({ endless: true }),
  'its zone cannot be reached': compute({ unreachableZones: [silent.zone] }),
  'its zone cannot be reached, by a warning': compute({
    unreachableZones: [silent.zone],
    partialBy: 'warning-of-zone',
  }),
  'some zone cannot be reached': compute({ unreachableZones: [silent.zone], partialBy: 'warning-of-list' }),
  'its zone is gone': compute({ zones: ['us-central1-b'] }),
  'the project is gone': compute({ projects: [] }),
  'the 404 of a proxy for an instance': fault({ status: 404, body: '<html>', pathPrefix: everyGet }),
  'the 404 of a gateway in JSON': fault({ status: 404, body: errorBody, pathPrefix: everyGet }),
  '200 with an error body': fault({ status: 200, body: errorBody }),
  '200 with an error body for an instance': fault({ status: 200, body: errorBody, pathPrefix: everyGet }),
  'the token of another project': permissions([]),
  'only lists are allowed': permissions([listInstances]),
  'it is preempted and shuts down': status('STOPPING'),
  'it was preempted, and is off': status('TERMINATED'),
  'it is suspended': status('SUSPENDED'),
  'it is repaired': status('REPAIRING'),
  throttling: () => lab.addFault({ service: 'compute', kind: 'throttle' }),
  'no metadata server': () => lab.addFault({ service: 'metadata', kind: 'status', status: 404 }),
};

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ computeInstances: fleet });
});

for (const [name, begin] of Object.entries(failures)) {
  await t.test(`a live instance is not reported as gone: ${name}`, async (t) => {
    await begin();
    for (const each of ways) t.equal(await isSightedAmong(nodeOf(silent), each), false, each.way);
  });
}

await t.test('without the permission to list no instance is, not even a deleted one', async (t) => {
  await permissions([getInstances])();
  for (const each of ways) {
    for (const facts of [nodeOf(silent), gone]) t.equal(await isSightedAmong(facts, each), false, each.way);
  }
});

await t.test('a deleted instance is', async (t) => {
  for (const each of ways) t.equal(await isSightedAmong(gone, each), true, each.way);
});

await t.test(
  'a name that another instance has is not, as long as it is not known which machine has the Node',
  async (t) => {
    const reused = { ...nodeOf(silent), instanceId: '1' };
    for (const each of ways) t.equal(await isSightedAmong(reused, each), false, each.way);
  },
);
