import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node, NodeAddress } from '../../../../schemas/kubernetes.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import type { AgentProcess } from './agent-process.ts';
import { startController, untilLeading } from './controller-process.ts';
import type { MachineEnvironment } from './machine-environment.ts';
import { eventsOn, isInitialized, register, remove, untilNode, untilWarned, writesBy, writesOfBoth } from './nodes.ts';

/** A machine of a cloud that its metadata and its API know alike. */
export interface CloudMachine {
  readonly machine: MachineEnvironment;
  readonly lab: Pick<LabCloud<object>, 'requests' | 'addFault' | 'clearFaults'>;
  readonly cloud: string;
  /** The name of its Node. */
  readonly name: string;
  readonly providerId: string;
  readonly instanceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: readonly NodeAddress[];
  readonly controllerEnv: Readonly<Record<string, string>>;
  readonly metadataService: string;
  /** Of one request for each description of the machine. */
  readonly metadataPath: RegExp;
  /** Of one request for each look-up. */
  readonly apiPath: RegExp;
}

const controllerFlags = ['--node-monitor-period', '500ms', '--node-status-update-frequency', '1s'];

/** The agent alone, a metadata service that fails, and both orders of agent and controller. */
export async function runCloudScenario(t: Test, given: CloudMachine): Promise<void> {
  await testAgentAlone(t, given);
  await testMetadataFailures(t, given);
  await testBothOrders(t, given);
}

async function testAgentAlone(t: Test, given: CloudMachine): Promise<void> {
  const { machine, name, cloud } = given;
  await t.test('the agent initialises its Node by two writes, addresses first', async (t) => {
    await register(machine, { name });
    const agent = startCloudAgent(given);
    const node = await untilNode(machine, name, 'initialised', isInitialized);
    t.equal(node.spec.providerID, given.providerId);
    t.match(node.metadata.annotations, { [keys.instanceId]: given.instanceId, [keys.describedByAgent]: cloud });
    t.match(node.metadata.labels, given.labels);
    t.strictSame(node.status.addresses, given.addresses);
    const writes = await writesBy(machine, 'polycloud-node-agent', name);
    t.match(writes, [{ objectRef: { subresource: 'status' } }, { objectRef: { subresource: undefined } }]);
    t.equal(writes.length, 2);
    t.equal((await agent.stop()).code, 0);
  });
}

async function testMetadataFailures(t: Test, given: CloudMachine): Promise<void> {
  const { machine, lab, name, metadataService: service } = given;
  const failures: Readonly<Record<string, Fault>> = {
    'it throttles': { service, kind: 'throttle' },
    'nobody listens': { service, kind: 'refuse' },
  };
  for (const [what, fault] of Object.entries(failures)) {
    await t.test(`a further start writes nothing, also if the metadata service fails later: ${what}`, async (t) => {
      const agent = startCloudAgent(given);
      await untilRequested(given, given.metadataPath, 3);
      await lab.addFault(fault);
      await untilLogged(agent, /"Node cannot be synced" .*reason="NodeUpdateFailed"/);
      await lab.clearFaults();
      await untilLogged(agent, /"Node can be synced again"/);
      t.equal((await writesBy(machine, 'polycloud-node-agent', name)).length, 2);
      await agent.stop();
      t.notOk(showsSecret(agent.output()));
    });
  }

  await t.test('it fails at the start, is slow when it comes back, and the Node is initialised', async (t) => {
    const late = `late-${name}`;
    await lab.addFault({ service, kind: 'throttle' });
    await register(machine, { name: late });
    const agent = startCloudAgent(given, late);
    t.match(await untilWarned(machine, late), { reason: 'NodeInitFailed', message: /; hint: / });
    t.strictSame(await writesBy(machine, 'polycloud-node-agent', late), []);
    await lab.clearFaults();
    await lab.addFault({ service, kind: 'delay', delayMs: 500 });
    await untilNode(machine, late, 'initialised', isInitialized);
    await agent.stop();
    await lab.clearFaults();
    await remove(machine, late);
  });
}

async function testBothOrders(t: Test, given: CloudMachine): Promise<void> {
  const { machine, name, cloud } = given;
  await t.test('the agent is first: a controller that comes later writes nothing', async (t) => {
    const agent = startCloudAgent(given);
    const settings = { cloud, env: given.controllerEnv, flags: controllerFlags };
    const { said: output } = startController(machine, settings);
    await untilLeading(machine, output);
    await untilBothHaveRead(given, 3);
    t.strictSame(await writesBy(machine, 'polycloud-ccm', name), []);
    t.equal((await writesOfBoth(machine, name)).length, 2);
    await agent.stop();
  });

  await t.test('the controller is first: an agent that comes later marks the Node, and then none writes', async (t) => {
    await remove(machine, name);
    const before = (await writesOfBoth(machine, name)).length;
    await register(machine, { name });
    const byController = await untilNode(machine, name, 'initialised by the controller', isInitialized);
    const eventsBefore = (await warningsOf(given)).length;
    startCloudAgent(given);
    const isMarked = ({ metadata }: Node): boolean => metadata.annotations?.[keys.describedByAgent] === cloud;
    const byBoth = await untilNode(machine, name, 'marked by the agent', isMarked);
    await untilBothHaveRead(given, 3);
    t.equal((await writesOfBoth(machine, name)).length, before + 3, 'two of the controller, and the mark');
    for (const { spec, status, metadata } of [byController, byBoth]) {
      t.equal(spec.providerID, given.providerId);
      t.equal(metadata.annotations?.[keys.instanceId], given.instanceId);
      t.strictSame(status.addresses, given.addresses);
    }
    t.equal((await warningsOf(given)).length, eventsBefore);
  });
}

async function warningsOf({ machine, name }: CloudMachine): ReturnType<typeof eventsOn> {
  return (await eventsOn(machine, name)).filter(({ type }) => type === 'Warning');
}

/** The cloud is named, since the firmware of the machine that runs the test may be another cloud's. */
function startCloudAgent({ machine, cloud, name }: CloudMachine, nodeName: string = name): AgentProcess {
  return startAgent(machine, { nodeName, flags: ['--cloud', cloud, '--node-status-update-frequency', '500ms'] });
}

/** Until the agent has read its metadata so many times more, and the controller has looked the instance up. */
async function untilBothHaveRead(given: CloudMachine, times: number): Promise<void> {
  await Promise.all([given.metadataPath, given.apiPath].map((path) => untilRequested(given, path, times)));
}

async function untilRequested({ lab }: CloudMachine, path: RegExp, times: number): Promise<void> {
  const count = async (): Promise<number> => (await lab.requests()).filter((request) => path.test(request.path)).length;
  const before = await count();
  await waitUntil({ what: `${String(path)} ${String(times)} times`, withinMs: 30_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}
