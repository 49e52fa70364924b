import t from 'tap';
import type { Test } from 'tap';
import { setTimeout as wait } from 'node:timers/promises';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent } from './agent-process.ts';
import { onAws, startController, untilLeading } from './controller-process.ts';
import { change, isInitialized, register, untilNode, writesBy, writesOfBoth } from './nodes.ts';
import {
  isFull,
  ownInstance,
  providerIdOf,
  startMachineEnvironment,
  startAgentEnvironment,
  environmentSupport,
} from './environment.ts';
import type { AgentTestEnvironment } from './environment.ts';

const supported = await environmentSupport();
/** How long there must be no write. */
const quietMs = isFull ? 600_000 : 4_000;
/** Longer than any program would wait to undo a write. */
const reactionMs = 3_000;
t.setTimeout(isFull ? 1_800_000 : 240_000);

const agentFlags = ['--node-status-update-frequency', '500ms'];
const controllerFlags = ['--node-monitor-period', '500ms', '--node-status-update-frequency', '1s'];
const zoneLabel = 'topology.kubernetes.io/zone';

const first: Ec2Instance = ownInstance;
const second: Ec2Instance = {
  ...ownInstance,
  instanceId: 'i-0fedcba9876543210',
  privateDnsName: 'ip-10-0-7-7.us-west-2.compute.internal',
  publicDnsName: 'ec2-192-0-2-7.us-west-2.compute.amazonaws.com',
  publicIp: '192.0.2.7',
  interfaces: [{ deviceIndex: 0, status: 'in-use', privateIps: ['10.0.7.7', '10.0.7.8'], ipv6: [] }],
};

t.jobs = 2;
const tests = ['0s', '30s'].map((headStart) =>
  t.test(
    `with a head start of ${headStart} two who could write do not meet`,
    { ...requires(supported), buffered: true },
    async (t) => {
      const { one, other } = await startTwoMachines(t);
      const [agentFirst, agentLast] = [first.privateDnsName, second.privateDnsName];
      startAgent(one, { nodeName: agentFirst, flags: agentFlags });
      const { said: output } = startController(one, {
        ...onAws,
        flags: [...controllerFlags, '--agent-head-start', headStart],
      });
      await untilLeading(one, output);
      for (const name of [agentFirst, agentLast]) await register(one, { name });
      if (headStart === '0s') await untilNode(one, agentLast, 'is initialised by the controller', isInitialized);
      startAgent(other, { nodeName: agentLast, flags: agentFlags });

      for (const [name, instance] of [[agentFirst, first] as const, [agentLast, second] as const]) {
        const node = await untilNode(one, name, 'is initialised and described', isDescribed);
        t.equal(node.spec.providerID, providerIdOf(instance), name);
        const all = await writesOfBoth(one, name);
        t.equal(all.filter(removesTaint).length, 1, `${name} was initialised once`);
        if (headStart === '30s') t.strictSame(await writesBy(one, 'polycloud-ccm', name), [], `${name} is the agent's`);
      }

      await t.test('nothing changes, so there is no write', async (t) => {
        const before = await Promise.all([agentFirst, agentLast].map((name) => writesOfBoth(one, name)));
        await wait(quietMs);
        const after = await Promise.all([agentFirst, agentLast].map((name) => writesOfBoth(one, name)));
        t.strictSame(
          after.map(({ length }) => length),
          before.map(({ length }) => length),
        );
      });

      await t.test('what is taken away comes back by one write', async (t) => {
        const before = (await writesOfBoth(one, agentFirst)).length;
        await change(one, agentFirst, { metadata: { labels: { [zoneLabel]: null } } });
        await untilNode(one, agentFirst, 'has its zone again', hasZone);
        await wait(reactionMs);
        t.equal((await writesOfBoth(one, agentFirst)).length, before + 1);
      });
    },
  ),
);
await Promise.all(tests);

/** Two machines of one cluster; the EC2 of the first knows both. */
async function startTwoMachines(
  t: Test,
): Promise<{ readonly one: AgentTestEnvironment; readonly other: AgentTestEnvironment }> {
  const one = await startAgentEnvironment(t);
  const other = await startMachineEnvironment(t, one.plane);
  await one.aws.update({ ec2Instances: { [first.instanceId]: first, [second.instanceId]: second } });
  await other.aws.update({
    ec2Instances: { [second.instanceId]: second },
    instance: { instanceId: second.instanceId, privateIp: '10.0.7.7' },
  });
  return { one, other };
}

function isDescribed(node: Node): boolean {
  return isInitialized(node) && node.metadata.annotations?.['polycloud.dev/described-by-agent'] === 'aws';
}

function hasZone({ metadata }: Node): boolean {
  return metadata.labels?.[zoneLabel] !== undefined;
}

/** The list of taints is only ever written to take the one away. */
function removesTaint({ requestObject }: AuditEvent): boolean {
  return (requestObject as Partial<Node> | undefined)?.spec?.taints !== undefined;
}
