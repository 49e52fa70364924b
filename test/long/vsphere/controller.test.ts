import { findVcsim } from '../../lab/vcsim/find-vcsim.ts';
import { quickFlags, startController } from '../../system/api-server/ccm/controller-process.ts';
import {
  deletionsBy,
  isInitialised,
  namesOf,
  register,
  setReady,
  untilDeleted,
  untilNode,
} from '../../system/api-server/ccm/nodes.ts';
import { onClusterWith } from '../../system/api-server/ccm/on-cluster.ts';
import { startTwoVcenters } from './two-vcenters.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0 };
const shutdownTaint = 'node.cloudprovider.kubernetes.io/shutdown';
const found = await findVcsim();

await onClusterWith(found, 'Nodes in vCenters of govmomi', async (t, environment) => {
  const { a, b, config } = await startTwoVcenters(t, found.programs.vcsim, { a: 2, b: 1 });
  const [fresh, halted, lost, awake] = await a.operations.vms();
  const [ofB] = await b.operations.vms();
  if (!fresh || !halted || !lost || !awake || !ofB) throw new Error('the simulator has too few machines');
  const guests = [fresh, halted, lost, awake].map(({ ref }, at) =>
    a.operations.setGuest(ref, { hostName: `node-${at}`, ipAddress: `10.7.0.${at + 1}` }),
  );
  await Promise.all([...guests, b.operations.setGuest(ofB.ref, { hostName: 'node-of-b', ipAddress: '10.8.0.1' })]);
  const known = { 'node-1': halted, 'node-2': lost, 'node-3': awake, 'node-of-b': ofB };
  for (const [name, { uuid }] of Object.entries(known)) {
    await register(environment, { name, providerID: `vsphere://${uuid}`, isReady: true, isNew: false });
  }
  await register(environment, { name: 'node-0', isReady: true, isNew: true });
  // As JSON values: the configuration has no undefined.
  const settings = {
    clouds: ['vsphere'],
    config: JSON.parse(JSON.stringify({ vsphere: config })) as { vsphere: unknown },
  };
  await startController(environment, { deletion, flags: quickFlags, ...settings });

  await t.test('a new one is initialised by its host name', async (t) => {
    const node = await untilNode(environment, 'node-0', 'initialised', isInitialised);
    t.equal(node.spec.providerID, `vsphere://${fresh.uuid}`);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': 'vsphere-vm.cpu-1.mem-0gb.os-other',
      'polycloud.dev/vsphere-vcenter': 'a',
    });
    t.match(node.status.addresses?.[0], { type: 'Hostname', address: 'node-0' });
  });

  await t.test('known ones get the name of their vCenter', async () => {
    const hasHome = (home: string) => (node: Awaited<ReturnType<typeof register>>) =>
      node.metadata.labels?.['polycloud.dev/vsphere-vcenter'] === home;
    await untilNode(environment, 'node-of-b', 'has its vCenter', hasHome('b'));
    await untilNode(environment, 'node-2', 'has its vCenter', hasHome('a'));
  });

  await t.test('powered off: a taint', async () => {
    await a.operations.powerOff(halted.ref);
    await setReady(environment, 'node-1', false);
    await untilNode(environment, 'node-1', 'tainted', ({ spec }) =>
      (spec.taints ?? []).some(({ key }) => key === shutdownTaint),
    );
  });

  await t.test('the machine was deleted: its Node is deleted, and no other', async (t) => {
    await a.operations.destroy(lost.ref);
    await setReady(environment, 'node-2', false);
    await untilDeleted(environment, 'node-2');
    t.strictSame(namesOf(await deletionsBy(environment)), ['node-2']);
  });
});
