import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../../build/project.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent } from '../../../system/api-server/node-agent/agent-process.ts';
import { environmentSupport } from '../../../system/api-server/node-agent/environment.ts';
import { isInitialized, register, remove, untilNode } from '../../../system/api-server/node-agent/nodes.ts';
import { knownDifferences } from './azure-differences.ts';
import type { DescribedBy } from './azure-differences.ts';
import { startAzureEnvironment } from './azure-environment.ts';
import type { AzureTestEnvironment } from './azure-environment.ts';
import { peerMachines } from './azure-machines.ts';
import type { PeerMachine } from './azure-machines.ts';
import {
  findAzurePrograms,
  flagsOfGuide,
  startAzureController,
  startNodeManager,
  startOurController,
} from './azure-programs.ts';
import { describeNode, differencesBetween } from './node-description.ts';
import type { NodeDescription } from './node-description.ts';

const found = await findAzurePrograms();
const supported = { ...requires(await environmentSupport()), ...requires(found) };
const { 'cloud-node-manager': nodeManager, 'cloud-controller-manager': azureController } = found.programs;
const timeoutMs = 480_000;
t.setTimeout(timeoutMs);
const quickFlags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];
const outOfService = 'node.kubernetes.io/out-of-service';
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';

await t.test("the Nodes of Azure's node manager and of ours", { ...supported, timeout: timeoutMs }, async (t) => {
  const environment = await startAzureEnvironment(t);
  const { azure } = environment;
  await azure.update({ resourceManager: { machines: peerMachines.map(({ resource }) => resource) } });
  const guide = await readFile(join(projectDirectory, 'docs/guides/azure.md'), 'utf8');
  const seen = new Set<string>();

  for (const { what, nodeName, metadata } of peerMachines) {
    await t.test(`of a machine ${what}`, async (t) => {
      await azure.update({ machine: metadata });
      const ours = {
        'metadata service': () => startAgent(environment, { nodeName, flags: ['--cloud', 'azure'] }),
        'Resource Manager': () => startOurController(environment, ['--leader-elect=false']),
      };
      for (const by of ['metadata service', 'Resource Manager'] as const) {
        const theirNode = await describedBy(environment, nodeName, () =>
          startNodeManager(environment, { file: nodeManager, nodeName, source: by }),
        );
        const ourNode = await describedBy(environment, nodeName, ours[by]);
        const differences = differencesBetween(theirNode, ourNode);
        t.strictSame(
          differences.filter((each) => rowOf(each, by) === undefined),
          [],
          `by the ${by}`,
        );
        for (const each of differences) seen.add(rowOf(each, by) ?? '');
      }
    });
  }

  await t.test('each known difference exists, and is in the guide', (t) => {
    for (const { row } of knownDifferences) {
      t.ok(seen.has(row), row);
      t.ok(guide.includes(`| ${row} `), `the guide has ${row}`);
    }
    t.end();
  });
});

function rowOf(difference: string, source: DescribedBy): string | undefined {
  return knownDifferences.find(({ by, pattern }) => by.includes(source) && pattern.test(difference))?.row;
}

/** A Node as a program describes it that was started when the kubelet had registered it. */
async function describedBy(
  environment: AzureTestEnvironment,
  nodeName: string,
  start: () => { output(): string; stop(): Promise<unknown> },
): Promise<NodeDescription> {
  await register(environment, { name: nodeName });
  const running = start();
  try {
    return describeNode(await untilNode(environment, nodeName, 'is described', isDescribed));
  } catch (cause) {
    throw new Error(errorsIn(running.output()), { cause });
  } finally {
    await running.stop();
    await remove(environment, nodeName);
  }
}

/** A panic of theirs ends with a long list of calls. */
function errorsIn(output: string): string {
  const lines = output.split('\n').filter((line) => /^(?:[EF]\d{4} |panic)/.test(line));
  return lines.join('\n').slice(0, 4_000);
}

/** Azure's program removes the taint before it writes the addresses. */
function isDescribed(node: Node): boolean {
  return isInitialized(node) && (node.status.addresses ?? []).some(({ type }) => type === 'InternalIP');
}

await t.test(
  "beside Azure's controller for services and routes, ours alone writes Nodes",
  { ...supported, timeout: timeoutMs },
  async (t) => {
    const environment = await startAzureEnvironment(t);
    const { azure, plane } = environment;
    const [first] = peerMachines;
    if (first === undefined) throw new Error('there are no machines');
    await azure.update({ resourceManager: { machines: peerMachines.map(({ resource }) => resource) } });
    const running = [
      startOurController(environment, quickFlags),
      startAzureController(environment, azureController, await flagsOfGuide()),
    ];
    t.teardown(() => Promise.all(running.map((each) => each.stop())));
    for (const { nodeName } of peerMachines) await register(environment, { name: nodeName });
    for (const { nodeName } of peerMachines) await untilNode(environment, nodeName, 'is described', isDescribed);
    await plane.ask('POST', '/api/v1/namespaces/default/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'web' } },
    });
    // The lab has no load balancers, so only the attempt to create one is visible.
    await waitUntil({ what: 'theirs is at work', withinMs: 60_000, everyMs: 200 }, () => isWorkedOn(environment)).catch(
      (cause: unknown) => {
        throw new Error(running.map((each) => errorsIn(each.output())).join('\n'), { cause });
      },
    );
    t.strictSame(await writersOfNodes(environment), ['polycloud-ccm']);

    await t.test('a stopped machine: one taint by each of them, and none when it runs again', async (t) => {
      await setRunning(environment, first, false);
      await untilNode(environment, first.nodeName, 'has both taints', hasTaints([outOfService, shutdown]));
      await setRunning(environment, first, true);
      t.ok(await untilNode(environment, first.nodeName, 'has none of them', hasTaints([])));
    });
  },
);

/** Of the two taints that are about a machine that was stopped. */
function hasTaints(keys: readonly string[]): (node: Node) => boolean {
  return ({ spec }) =>
    [outOfService, shutdown].every(
      (each) => (spec.taints ?? []).some(({ key }) => key === each) === keys.includes(each),
    );
}

/** The machine, and what its kubelet reports. */
async function setRunning(
  { azure, plane }: AzureTestEnvironment,
  machine: PeerMachine,
  isRunning: boolean,
): Promise<void> {
  const machines = peerMachines.map(({ resource }) =>
    resource === machine.resource ? { ...resource, powerState: isRunning ? 'running' : 'deallocated' } : resource,
  );
  await azure.update({ resourceManager: { machines } });
  const conditions = [{ type: 'Ready', status: isRunning ? 'True' : 'Unknown', reason: 'Said', message: 'said' }];
  const { status } = await plane.ask('PATCH', `/api/v1/nodes/${machine.nodeName}/status`, { status: { conditions } });
  if (status !== 200) throw new Error(`Ready of ${machine.nodeName} was not set: ${status}`);
}

async function isWorkedOn({ plane }: AzureTestEnvironment): Promise<true | undefined> {
  const { body } = await plane.ask('GET', '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=web');
  const { items } = body as { readonly items: readonly { readonly reason: string }[] };
  return items.some(({ reason }) => reason === 'EnsuringLoadBalancer') || undefined;
}

async function writersOfNodes({ plane }: AzureTestEnvironment): Promise<readonly string[]> {
  const writes = (await plane.auditEvents()).filter(
    ({ verb, objectRef }) => ['patch', 'update', 'delete'].includes(verb) && objectRef?.resource === 'nodes',
  );
  return ['cloud-controller-manager', 'polycloud-ccm'].filter((program) =>
    writes.some(({ userAgent = '' }) => userAgent.startsWith(`${program}/`)),
  );
}
