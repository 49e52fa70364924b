import { readFile } from 'node:fs/promises';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { SupervisedProcess } from '../../../../build/supervised-process.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { quickFlags, soonMs, startController, untilLogged } from '../../../system/api-server/ccm/controller-process.ts';
import {
  changeInstance,
  launchInstances,
  providerIdOf,
  terminateInstance,
  untilLookedUp,
} from '../../../system/api-server/ccm/environment.ts';
import type { TestEnvironment } from '../../../system/api-server/ccm/environment.ts';
import {
  isInitialised,
  readNodes,
  register,
  setReady,
  untilDeleted,
  untilNode,
} from '../../../system/api-server/ccm/nodes.ts';
import { onClusterWith } from '../../../system/api-server/ccm/on-cluster.ts';
import { awsUsers, findAwsController, startAwsController } from './aws-controller.ts';
import { openGuideCommands } from './guide-commands.ts';
import { describeNode } from './node-description.ts';
import type { NodeDescription } from './node-description.ts';
import { watchNodeWrites } from './node-writes.ts';

// The way of docs/guides/move-to-polycloud.md, there and back, with the real program of AWS. Every write to a Node is
// checked. Neither program gets another Lease, so that only one of them works at any time.
const found = await findAwsController();
const theirFlags = [
  '--cloud-provider=aws',
  '--leader-elect=true',
  '--cluster-name=lab',
  '--configure-cloud-routes=false',
  '--allocate-node-cidrs=false',
  '--use-service-account-credentials=true',
  '--node-monitor-period=1s',
];
/** The same flags, which ours accepts too, and those of the test. */
const ourFlags = [...theirFlags.filter((flag) => !/^--(?:cloud-provider|node-monitor)/.test(flag)), ...quickFlags];
const deletion = { sightingsApartMs: 300 };
/** Theirs leaves the Lease to run out after 15 s. */
const takeOverMs = 60_000;

const names = ['plain', 'rich', 'paused', 'offline', 'ended', 'left', 'fresh', 'returned'] as const;
type Name = (typeof names)[number];
type Fleet = Readonly<Record<Name, Ec2Instance>>;
const atFirst = names.filter((name) => name !== 'fresh' && name !== 'returned');

/** As the chart of AWS' controller makes it. */
const daemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'aws-cloud-controller-manager' },
  spec: {
    selector: { matchLabels: { 'k8s-app': 'aws-cloud-controller-manager' } },
    template: {
      metadata: { labels: { 'k8s-app': 'aws-cloud-controller-manager' } },
      spec: {
        nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
        containers: [{ name: 'ccm', image: 'ccm' }],
      },
    },
  },
};
const selectorOfDaemonSet = '-n kube-system get daemonset aws-cloud-controller-manager -o'
  .split(' ')
  .concat('jsonpath={.spec.template.spec.nodeSelector}');

/** As where pods get addresses of the VPC. */
const addresses: Partial<Ec2Instance> = {
  publicIp: '192.0.2.7',
  publicDnsName: 'ec2-192-0-2-7.us-west-2.compute.amazonaws.com',
  interfaces: [
    { deviceIndex: 0, status: 'in-use', privateIps: ['10.15.0.1', '10.15.0.101'], ipv6: ['2001:db8::1'] },
    { deviceIndex: 1, status: 'in-use', privateIps: ['10.15.1.1', '10.15.1.101'], ipv6: [] },
  ],
};

await onClusterWith(found, "from AWS's controller to ours and back", async (t, world) => {
  const fleet = await launchFleet(world);
  const written = watchNodeWrites(world.plane, (node) => names.find((name) => nodeOf(fleet, name) === node) ?? node);
  const file = found.programs['aws-cloud-controller-manager'];
  const theirs = await startAwsController(t, world, file, theirFlags);
  for (const name of atFirst) await join(world, fleet, name);
  for (const name of atFirst) await untilNode(world, nodeOf(fleet, name), 'is initialised', hasAddress);
  await setReady(world, nodeOf(fleet, 'offline'), false);
  const before = await describeNodes(world);
  const kubectl = await openGuideCommands(world.plane);
  const listBefore = await kubectl('nodes', '--sort-by=.metadata.name');
  const theirIdentity = await kubectl('lease');
  t.strictSame(await written(), atFirst.flatMap((name) => initialised('theirs', name)).toSorted(), 'theirs works');

  await t.test('the dry run writes nothing and shows what will change', async (t) => {
    const dryRun = await startController(world, { deletion, flags: [...ourFlags, '--dry-run'] });
    await untilLogged(dryRun.output, /"Dry run: Node would be changed"/, soonMs);
    await untilLookedUp(world, 4, fleet.offline.instanceId);
    await dryRun.stop();
    t.equal(dryRun.output().match(/would be/g)?.length, 1, 'one Node would be changed, once');
    t.match(
      dryRun.output(),
      new RegExp(`would be changed" node="${nodeOf(fleet, 'rich')}".*set addresses InternalIP=`),
    );
    t.strictSame(await written(), []);
    t.strictSame(await describeNodes(world), before);
  });

  const ours = await startController(world, { deletion, flags: ourFlags });
  await untilLogged(ours.output, /"Following: this replica writes nothing"/, soonMs);
  t.strictSame(await written(), [], 'nothing is written while theirs holds the Lease');
  t.match(ours.output(), `holder="${theirIdentity.trim()}"`);
  theirs.signal('SIGTERM');
  await theirs.ended;
  await untilLogged(ours.output, /"Leading" identity=/, takeOverMs);

  await t.test('ours takes over, and Nodes stay as they are but for second addresses', async (t) => {
    await untilNode(world, nodeOf(fleet, 'rich'), 'has the primary addresses', hasPrimaryAddresses);
    await untilLookedUp(world, 4, fleet.offline.instanceId);
    t.strictSame(await written(), ['ours rich: addresses']);
    const { [nodeOf(fleet, 'rich')]: rich, ...others } = await describeNodes(world);
    const { [nodeOf(fleet, 'rich')]: richBefore, ...othersBefore } = before;
    t.strictSame(others, othersBefore);
    t.strictSame(rich, { ...richBefore, InternalIP: '10.15.0.1, 10.15.1.1' });
    t.strictSame(
      linesOf(await kubectl('nodes', '--sort-by=.metadata.name')).filter((line) => !linesOf(listBefore).includes(line)),
      linesOf(listBefore).flatMap((line) => (line.includes('.101') ? [line.replaceAll(/10\.15\.\d\.101,/g, '')] : [])),
      'as the guide compares them',
    );
    t.match(ours.output(), `"Leading" identity="${(await kubectl('lease')).trim()}"`);
    t.equal(richBefore?.['InternalIP'], '10.15.0.1, 10.15.0.101, 10.15.1.1, 10.15.1.101');
  });

  await t.test('ours initialises, taints and deletes', async (t) => {
    await join(world, fleet, 'fresh');
    await untilNode(world, nodeOf(fleet, 'fresh'), 'is initialised', hasAddress);
    await stopInstance(world, fleet, 'paused');
    await untilNode(world, nodeOf(fleet, 'paused'), 'is tainted', hasShutdownTaint);
    await endInstance(world, fleet, 'ended');
    const others = ['ours ended: conditions', 'ours ended: delete', 'ours paused: taints shutdown'];
    t.strictSame(await written(), [...others, ...initialised('ours', 'fresh')].toSorted());
  });

  const again = await startAwsController(t, world, file, theirFlags);
  await untilCandidate(again);
  t.strictSame(await written(), [], 'nothing is written while ours holds the Lease');
  await ours.stop();

  await t.test('theirs takes over again, and finds its Nodes', async (t) => {
    await backToWork(world, fleet, 'paused');
    await untilNode(world, nodeOf(fleet, 'paused'), 'has no taint', (node) => !hasShutdownTaint(node));
    await join(world, fleet, 'returned');
    await untilNode(world, nodeOf(fleet, 'returned'), 'is initialised', hasAddress);
    await endInstance(world, fleet, 'left');
    await untilNode(world, nodeOf(fleet, 'rich'), 'has all addresses again', (node) => !hasPrimaryAddresses(node));
    const others = ['theirs left: delete', 'theirs paused: taints none', 'theirs rich: addresses'];
    t.strictSame(await written(), [...others, ...initialised('theirs', 'returned')].toSorted());
    t.equal(again.ending(), undefined, 'theirs runs');
    for (const name of ['plain', 'rich', 'paused', 'offline'] as const) {
      const node = nodeOf(fleet, name);
      t.strictSame((await describeNodes(world))[node], before[node], `${name} is as before`);
    }
  });

  await t.test('the commands of the guide stop and start a DaemonSet, and remove annotations', async (t) => {
    await world.plane.ask('POST', '/apis/apps/v1/namespaces/kube-system/daemonsets', daemonSet);
    t.match(await kubectl('patch', 'daemonset'), 'patched');
    t.match(await world.plane.kubectl(selectorOfDaemonSet), /control-plane.*polycloud\.dev\/stopped":"true"/);
    t.match(await kubectl('patch', '--type=json'), 'patched');
    t.match(await world.plane.kubectl(selectorOfDaemonSet), /^\{"node-role\.kubernetes\.io\/control-plane":""\}$/);
    const annotations = { 'polycloud.dev/described-by-agent': 'aws', 'polycloud.dev/instance-id': '1' };
    await world.plane.ask('PATCH', `/api/v1/nodes/${nodeOf(fleet, 'plain')}`, { metadata: { annotations } });
    await kubectl('annotate', '--all');
  });

  await t.test('nothing of ours is left on the Nodes', async (t) => {
    for (const { metadata, status } of await readNodes(world)) {
      const { labels = {}, annotations = {} } = metadata;
      const keys = [...Object.keys(labels), ...Object.keys(annotations), ...(status.conditions ?? []).map(typeOf)];
      t.notOk(
        keys.some((key) => key.startsWith('polycloud.dev/')),
        metadata.name,
      );
    }
  });
});

function linesOf(table: string): readonly string[] {
  return table.split('\n').map((line) => line.replaceAll(/\s+/g, ' '));
}

async function launchFleet(world: TestEnvironment): Promise<Fleet> {
  // Theirs finds an instance by name only with the tag of the cluster.
  const tags = { 'kubernetes.io/cluster/lab': 'owned' };
  const launched = await launchInstances(world, names.length, 15);
  const instances = launched.map((instance, index) => ({
    ...instance,
    tags,
    ...(names[index] === 'rich' && addresses),
  }));
  await world.aws.update({
    users: awsUsers,
    ec2Instances: Object.fromEntries(instances.map((instance) => [instance.instanceId, instance])),
  });
  return Object.fromEntries(names.map((name, index) => [name, instances[index]])) as Fleet;
}

function nodeOf(fleet: Fleet, name: Name): string {
  return fleet[name].privateDnsName;
}

/** The kubelet of some registers with a providerID. */
async function join(world: TestEnvironment, fleet: Fleet, name: Name): Promise<void> {
  const known = name === 'plain' || name === 'fresh' ? {} : { providerID: providerIdOf(fleet[name]) };
  await register(world, { name: nodeOf(fleet, name), ...known, isReady: true, isNew: true });
}

function initialised(by: 'ours' | 'theirs', name: Name): readonly string[] {
  return [`${by} ${name}: addresses`, `${by} ${name}: taints none`];
}

async function stopInstance(world: TestEnvironment, fleet: Fleet, name: Name): Promise<void> {
  await changeInstance(world, fleet[name], { state: 'stopped' });
  await setReady(world, nodeOf(fleet, name), false);
}

async function backToWork(world: TestEnvironment, fleet: Fleet, name: Name): Promise<void> {
  await changeInstance(world, fleet[name], { state: 'running' });
  await setReady(world, nodeOf(fleet, name), true);
}

async function endInstance(world: TestEnvironment, fleet: Fleet, name: Name): Promise<void> {
  await terminateInstance(world, fleet[name]);
  await setReady(world, nodeOf(fleet, name), false);
  await untilDeleted(world, nodeOf(fleet, name));
}

/** Theirs removes the taint before it writes the addresses. */
function hasAddress(node: Node): boolean {
  return isInitialised(node) && (node.status.addresses ?? []).some(({ type }) => type === 'InternalIP');
}

function hasPrimaryAddresses({ status }: Node): boolean {
  return !(status.addresses ?? []).some(({ address }) => address.endsWith('.101'));
}

function hasShutdownTaint({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown');
}

function typeOf({ type }: { readonly type: string }): string {
  return type;
}

async function describeNodes(world: TestEnvironment): Promise<Readonly<Record<string, NodeDescription>>> {
  const nodes = await readNodes(world);
  return Object.fromEntries(
    nodes.map((node) => {
      const taints = (node.spec.taints ?? []).map(({ key }) => key).filter((key) => key.includes('cloudprovider'));
      return [node.metadata.name, { ...describeNode(node), taints: taints.join() }];
    }),
  );
}

/** Theirs waits for the Lease. */
async function untilCandidate({ logFile }: SupervisedProcess): Promise<void> {
  await waitUntil({ what: 'theirs waits for the Lease', withinMs: soonMs, everyMs: 100 }, async () =>
    (await readFile(logFile, 'utf8')).includes('Attempting to acquire leader lease') ? true : undefined,
  );
}
