import t from 'tap';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent } from '../../../system/api-server/node-agent/agent-process.ts';
import { onAws, startController } from '../../../system/api-server/node-agent/controller-process.ts';
import {
  environmentSupport,
  ownInstance,
  providerIdOf,
  startAgentEnvironment,
} from '../../../system/api-server/node-agent/environment.ts';
import { change, isInitialized, register, untilNode } from '../../../system/api-server/node-agent/nodes.ts';
import { awsUsers, findAwsController, startAwsControllerInside } from './aws-controller.ts';
import { describeNode } from './node-description.ts';
import { watchNodeWrites } from './node-writes.ts';

// The same way as in move-from-aws.test.ts, where the chart's agents come too.
const found = await findAwsController();
const supported = { ...requires(await environmentSupport()), ...requires(found) };
const timeoutMs = 240_000;
t.setTimeout(timeoutMs);

const theirFlags = ['--cloud-provider=aws', '--cluster-name=lab', '--configure-cloud-routes=false'];
const agentFlags = ['--node-status-update-frequency', '500ms'];
const ourFlags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];
/** Long enough for the Lease of a program that does not release it. */
const withinMs = 60_000;
const describedByAgent = 'polycloud.dev/described-by-agent';

const tags = { 'kubernetes.io/cluster/lab': 'owned' };
/** The machine of the agent. Its instance has second addresses. */
const own: Ec2Instance = { ...ownInstance, tags };
/** A machine without an agent. */
const bare: Ec2Instance = {
  ...own,
  instanceId: 'i-0fedcba9876543210',
  privateDnsName: 'ip-10-0-7-7.us-west-2.compute.internal',
  interfaces: [{ deviceIndex: 0, status: 'in-use', privateIps: ['10.0.7.7'], ipv6: [] }],
};
const nameOf = (node: string): string => (node === own.privateDnsName ? 'own' : 'bare');

await t.test(
  "from AWS's controller to controller and agent, and back",
  { ...supported, timeout: timeoutMs },
  async (t) => {
    const environment = await startAgentEnvironment(t);
    const { aws, plane } = environment;
    await aws.update({ users: awsUsers, ec2Instances: { [own.instanceId]: own, [bare.instanceId]: bare } });
    const written = watchNodeWrites(plane, nameOf);
    const nodeName = own.privateDnsName;
    const file = found.programs['aws-cloud-controller-manager'];

    const theirs = await startAwsControllerInside(environment, file, theirFlags);
    await register(environment, { name: nodeName });
    const before = await untilNode(environment, nodeName, 'has all addresses', hasSecondAddress);
    t.strictSame(await written(), ['theirs own: addresses', 'theirs own: taints none']);

    await t.test('in a dry run agent and controller write nothing', async (t) => {
      const agent = startAgent(environment, { nodeName, flags: [...agentFlags, '--dry-run'] });
      const ours = startController(environment, { ...onAws, flags: [...ourFlags, '--dry-run'] });
      await untilLogged(agent.output, /Dry run: Node would be changed/);
      await untilLogged(ours.said, /Dry run: Node would be changed/);
      await Promise.all([agent.stop(), ours.stop()]);
      t.strictSame(await written(), []);
    });

    await theirs.stop();
    const agent = startAgent(environment, { nodeName, flags: agentFlags });
    const ours = startController(environment, { ...onAws, flags: [...ourFlags, '--agent-head-start', '2s'] });
    await untilLogged(ours.said, /"Leading" identity=/);

    await t.test('the agent describes its Node, and the controller the others', async (t) => {
      const node = await untilNode(environment, nodeName, 'is described by the agent', isDescribedByAgent);
      t.strictSame({ ...describeNode(node), InternalIP: '' }, { ...describeNode(before), InternalIP: '' });
      t.equal(describeNode(node)['InternalIP'], '10.0.0.20, 10.0.1.20');
      await register(environment, { name: bare.privateDnsName, providerID: providerIdOf(bare) });
      await untilNode(environment, bare.privateDnsName, 'is initialised', isInitialized);
      const byAgent = ['agent own: addresses', 'agent own: annotations'];
      t.strictSame(await written(), [...byAgent, 'ours bare: addresses', 'ours bare: taints none']);
    });

    await t.test('when the agents are gone, the controller describes their Nodes', async (t) => {
      await Promise.all([agent.stop(), ours.stop()]);
      const alone = startController(environment, { ...onAws, flags: ourFlags });
      await untilLogged(alone.said, /"Leading" identity=/);
      await change(environment, nodeName, { metadata: { labels: { 'topology.kubernetes.io/zone': null } } });
      await untilNode(environment, nodeName, 'has its zone', hasZone);
      t.strictSame(await written(), ['ours own: labels']);
      await alone.stop();
    });

    await t.test("AWS's controller works on, and only the annotation of the agent is left", async (t) => {
      await startAwsControllerInside(environment, file, theirFlags);
      const node = await untilNode(environment, nodeName, 'has all addresses', hasSecondAddress);
      t.strictSame(await written(), ['theirs own: addresses']);
      t.strictSame(describeNode(node), describeNode(before));
      const { annotations = {}, labels = {} } = node.metadata;
      const left = Object.keys({ ...annotations, ...labels }).filter((key) => key.startsWith('polycloud.dev/'));
      t.strictSame(left, [describedByAgent]);
    });
  },
);

function hasSecondAddress(node: Node): boolean {
  return isInitialized(node) && (node.status.addresses ?? []).some(({ address }) => address === '10.0.0.21');
}

function isDescribedByAgent({ metadata }: Node): boolean {
  return metadata.annotations?.[describedByAgent] === 'aws';
}

function hasZone({ metadata }: Node): boolean {
  return metadata.labels?.['topology.kubernetes.io/zone'] !== undefined;
}

async function untilLogged(output: () => string, what: RegExp): Promise<void> {
  await waitUntil({ what: `${String(what)} in the log`, withinMs, everyMs: 50 }, () =>
    Promise.resolve(what.test(output()) || undefined),
  ).catch((cause: unknown) => {
    throw new Error(output().slice(-2_000), { cause });
  });
}
