import { writeFile } from 'node:fs/promises';
import t from 'tap';
import { stringify } from 'yaml';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { labSubscription } from '../../../lab/clouds/azure/virtual-machine.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { environmentSupport } from '../../../system/api-server/node-agent/environment.ts';
import { isInitialized, readNode, register, untilNode } from '../../../system/api-server/node-agent/nodes.ts';
import { startAzureEnvironment } from './azure-environment.ts';
import type { AzureTestEnvironment } from './azure-environment.ts';
import { peerMachines } from './azure-machines.ts';
import { findAzurePrograms, startAzureController, startNodeManager, startOurController } from './azure-programs.ts';
import type { RunningProgram } from './azure-programs.ts';
import { describeNode } from './node-description.ts';
import { watchNodeWrites } from './node-writes.ts';

// As move-from-aws.test.ts. Azure's controller initialises no Node; its node manager does.
const found = await findAzurePrograms();
const supported = { ...requires(await environmentSupport()), ...requires(found) };
const timeoutMs = 300_000;
t.setTimeout(timeoutMs);

const theirFlags = [
  '--cloud-provider=azure',
  '--leader-elect=true',
  '--cluster-name=lab',
  '--configure-cloud-routes=false',
  '--allocate-node-cidrs=false',
  '--node-monitor-period=1s',
];
const quickFlags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];
const ourFlags = [...theirFlags.filter((flag) => !/^--(?:cloud-provider|node-monitor)/.test(flag)), ...quickFlags];
/** Azure reports a deleted machine as not found. */
const deletion = { notFoundMinAgeMs: 1_000, notFoundSpanMs: 1_000, sightingsApartMs: 300 };
/** Longer than the Lease of a program that does not release it. */
const withinMs = 60_000;
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';
const outOfService = 'node.kubernetes.io/out-of-service';
/** What each machine is for, and its Node. */
const nodes = { kept: 'web-0', ended: 'web-2', paused: 'web-4', fresh: 'flex0a1b2c' } as const;
type Name = keyof typeof nodes;
const atFirst = ['ended', 'kept', 'paused'] as const;
/** What ours adds to Nodes of Azure's node manager; and the external address comes before the name. */
const additions =
  /^set (?:label (?:failure-domain\.)?beta\.kubernetes\.io|annotation polycloud\.dev\/instance-id=|addresses .*, ExternalIP=.*, Hostname=)/;

await t.test("from Azure's programs to ours and back", { ...supported, timeout: timeoutMs }, async (t) => {
  const environment = await startAzureEnvironment(t);
  const { azure, config, plane } = environment;
  await writeFile(
    config,
    stringify({ azure: { scopes: [{ name: 'lab', subscriptionId: labSubscription }] }, deletion }),
  );
  await azure.update({ resourceManager: { machines: peerMachines.map(({ resource }) => resource) } });
  const written = watchNodeWrites(plane, nameOf);
  const { 'cloud-node-manager': nodeManager, 'cloud-controller-manager': controller } = found.programs;
  const running: RunningProgram[] = [];
  t.teardown(() => Promise.all(running.map((each) => each.stop())));

  const theirs = startAzureController(environment, controller, theirFlags);
  running.push(theirs);
  for (const name of atFirst) {
    const nodeName = nodes[name];
    running.push(startNodeManager(environment, { file: nodeManager, nodeName, source: 'Resource Manager' }));
    await register(environment, { name: nodeName });
    await untilNode(environment, nodeName, 'is described', isDescribed);
  }
  const before = describeNode(await readNode(environment, nodes.kept));
  t.strictSame(
    await written(),
    atFirst.flatMap((name) => initialised('node manager', name)),
  );

  await t.test('a dry run plans only the annotation and the labels of older versions', async (t) => {
    const dryRun = startOurController(environment, [...ourFlags, '--dry-run']);
    running.push(dryRun);
    for (const name of atFirst) {
      await untilLogged(dryRun, new RegExp(`"Dry run: Node would be changed" node="${nodes[name]}"`));
    }
    await dryRun.stop('SIGTERM');
    const plans = [...dryRun.output().matchAll(/would be .*changes=(?<changes>\[.*\])/g)];
    t.equal(plans.length, 3);
    for (const { groups } of plans) {
      const changes = JSON.parse(groups?.['changes'] ?? '') as readonly string[];
      t.strictSame(
        changes.filter((change) => !additions.test(change)),
        [],
      );
    }
    t.strictSame(await written(), []);
  });

  const ours = startOurController(environment, ourFlags);
  running.push(ours);
  await untilLogged(ours, /"Following: this replica writes nothing"/);
  t.strictSame(await written(), [], "nothing is written while Azure's controller holds the Lease");
  await theirs.stop('SIGTERM');
  await untilLogged(ours, /"Leading" identity=/);

  await t.test('ours takes over', async (t) => {
    for (const name of atFirst) {
      await untilNode(environment, nodes[name], 'has all labels', hasBetaLabels);
    }
    await register(environment, { name: nodes.fresh });
    await untilNode(environment, nodes.fresh, 'is described', isDescribed);
    await showMachines(environment, { gone: nodes.ended, stopped: nodes.paused });
    for (const name of ['ended', 'paused'] as const) await setReady(environment, nodes[name], 'Unknown');
    await untilNode(environment, nodes.paused, 'is tainted', (node) => hasTaint(node, shutdown));
    await untilDeleted(environment, nodes.ended);
    const labels = atFirst.flatMap((name) => [`ours ${name}: annotations`, `ours ${name}: labels`]);
    const ended = ['ours ended: addresses', 'ours ended: conditions', 'ours ended: delete'];
    t.strictSame(
      await written(),
      [...labels, ...ended, 'ours paused: taints shutdown', ...initialised('ours', 'fresh')].toSorted(),
    );
    const nodeName = nodes.kept;
    t.match(describeNode(await readNode(environment, nodeName)), before, 'the Node has what it had');
  });

  const again = startAzureController(environment, controller, theirFlags);
  running.push(again);
  await untilLogged(again, /attempting to acquire leader lease/i);
  t.strictSame(await written(), [], 'nothing is written while ours holds the Lease');
  await ours.stop('SIGTERM');

  await t.test('theirs takes over again, and Nodes stay as they are', async (t) => {
    await untilLogged(again, /successfully acquired lease/i);
    // It also sets this taint for a stopped machine, and removes the two when the Node is Ready, in either order.
    await untilNode(environment, nodes.paused, 'is out of service', (node) => hasTaint(node, outOfService));
    await showMachines(environment, { gone: nodes.ended });
    await setReady(environment, nodes.paused, 'True');
    await untilNode(environment, nodes.paused, 'has neither', (node) => !hasTaint(node, shutdown, outOfService));
    const taints = ['shutdown,out-of-service', 'shutdown', 'out-of-service', 'none'];
    const allowed = taints.map((each) => `theirs paused: taints ${each}`);
    t.strictSame(
      (await written()).filter((each) => !allowed.includes(each)),
      [],
    );
    t.match(describeNode(await readNode(environment, nodes.kept)), before, 'the Node has what it had');
  });
});

function nameOf(nodeName: string): string {
  return Object.entries(nodes).find(([, node]) => node === nodeName)?.[0] ?? nodeName;
}

function initialised(by: string, name: Name): readonly string[] {
  return [`${by} ${name}: addresses`, `${by} ${name}: taints none`];
}

/** Azure's node manager removes the taint before it writes the addresses. */
function isDescribed(node: Node): boolean {
  return isInitialized(node) && (node.status.addresses ?? []).some(({ type }) => type === 'InternalIP');
}

function hasBetaLabels({ metadata }: Node): boolean {
  return metadata.labels?.['beta.kubernetes.io/instance-type'] !== undefined;
}

/** One of them. */
function hasTaint({ spec }: Node, ...keys: readonly string[]): boolean {
  return (spec.taints ?? []).some(({ key }) => keys.includes(key));
}

/** By the Resource Manager. */
async function showMachines(
  { azure }: AzureTestEnvironment,
  { gone, stopped }: { readonly gone: string; readonly stopped?: string },
): Promise<void> {
  const left = peerMachines.filter(({ nodeName }) => nodeName !== gone);
  const machines = left.map(({ nodeName, resource }) =>
    nodeName === stopped ? { ...resource, powerState: 'deallocated' } : resource,
  );
  await azure.update({ resourceManager: { machines } });
}

async function setReady({ plane }: AzureTestEnvironment, node: string, isReady: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: isReady, reason: 'Said', message: 'said' }];
  const { status } = await plane.ask('PATCH', `/api/v1/nodes/${node}/status`, { status: { conditions } });
  if (status !== 200) throw new Error(`Ready of ${node} was not set: ${status}`);
}

async function untilDeleted({ plane }: AzureTestEnvironment, node: string): Promise<void> {
  await waitUntil({ what: `${node} is deleted`, withinMs, everyMs: 100 }, async () => {
    const { status } = await plane.ask('GET', `/api/v1/nodes/${node}`);
    return status === 404 || undefined;
  });
}

async function untilLogged({ output }: RunningProgram, what: RegExp): Promise<void> {
  await waitUntil({ what: `${String(what)} in the log`, withinMs, everyMs: 50 }, () =>
    Promise.resolve(what.test(output()) || undefined),
  ).catch((cause: unknown) => {
    throw new Error(output().slice(-2_000), { cause });
  });
}
