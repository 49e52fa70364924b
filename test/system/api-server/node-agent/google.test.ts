import t from 'tap';
import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import { metadataStateOf } from '../../../lab/clouds/gcp/compute-metadata.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import type { GcpState } from '../../../lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import { startController, untilLeading } from './controller-process.ts';
import { environmentSupport } from './environment.ts';
import { connectMachine } from './machine-environment.ts';
import type { MachineEnvironment } from './machine-environment.ts';
import { eventsOn, isInitialized, register, remove, untilNode, writesBy, writesOfBoth } from './nodes.ts';

const supported = await environmentSupport();
/** Named, since the firmware of the machine that runs the test may be another cloud's. */
const agentFlags = ['--cloud', 'gcp', '--node-status-update-frequency', '500ms'];
const controllerFlags = ['--node-monitor-period', '500ms', '--node-status-update-frequency', '1s'];
const zoneLabel = 'topology.kubernetes.io/zone';
const instance: ComputeInstance = {
  project: 'lab-project',
  zone: 'us-central1-a',
  name: 'lab-node-1',
  // A number that no double can hold.
  id: '4520031799277581759',
  machineType: 'e2-standard-4',
  status: 'RUNNING',
  interfaces: [{ ip: '10.0.0.30', externalIp: '192.0.2.30' }],
};
const node = instance.name;
t.setTimeout(240_000);
const metadataPath = /\/instance\/network-interfaces\//;
const computePath = /^\/compute\//;

await t.test('an agent on Google Cloud, alone and with a controller', requires(supported), async (t) => {
  const machine = await startGoogleMachine(t);
  const { gcp } = machine;

  await t.test('the agent initialises its Node by two writes, addresses first', async (t) => {
    await register(machine, { name: node });
    const agent = startAgent(machine, { nodeName: node, flags: agentFlags });
    const initialised = await untilNode(machine, node, 'initialised', isInitialized);
    t.equal(initialised.spec.providerID, `gce://${keyOf(instance)}`);
    t.match(initialised.metadata.annotations, { [keys.instanceId]: instance.id, [keys.describedByAgent]: 'gcp' });
    t.match(initialised.metadata.labels, {
      'node.kubernetes.io/instance-type': instance.machineType,
      [zoneLabel]: instance.zone,
      'topology.kubernetes.io/region': 'us-central1',
    });
    t.match(initialised.status.addresses, [
      { type: 'InternalIP', address: '10.0.0.30' },
      { type: 'ExternalIP', address: '192.0.2.30' },
      { type: 'Hostname', address: node },
    ]);
    const writes = await writesBy(machine, 'polycloud-node-agent', node);
    t.match(writes, [{ objectRef: { subresource: 'status' } }, { objectRef: { subresource: undefined } }]);
    t.equal(writes.length, 2);
    t.equal((await agent.stop()).code, 0);
  });

  await t.test('a second start writes nothing, and the agent waits for a metadata server that fails', async (t) => {
    const agent = startAgent(machine, { nodeName: node, flags: agentFlags });
    await untilRequested(gcp, metadataPath, 3);
    await gcp.addFault({ service: 'metadata', kind: 'throttle' });
    await untilLogged(agent, /"Node cannot be synced" .*reason="NodeUpdateFailed"/);
    await gcp.clearFaults();
    await untilLogged(agent, /"Node can be synced again"/);
    t.equal((await writesBy(machine, 'polycloud-node-agent', node)).length, 2);
    await agent.stop();
    t.notOk(showsSecret(agent.output()));
  });

  await t.test('the agent is first: a controller that comes later writes nothing', async (t) => {
    const agent = startAgent(machine, { nodeName: node, flags: agentFlags });
    const { said: output } = startController(machine, { cloud: 'gcp', env: {}, flags: controllerFlags });
    await untilLeading(machine, output);
    await untilBothHaveRead(gcp, 3);
    t.strictSame(await writesBy(machine, 'polycloud-ccm', node), []);
    t.equal((await writesOfBoth(machine, node)).length, 2);
    await agent.stop();
  });

  await t.test(
    'the controller is first: an agent that comes later marks the Node, and then nobody writes',
    async (t) => {
      await remove(machine, node);
      const before = (await writesOfBoth(machine, node)).length;
      await register(machine, { name: node });
      const byController = await untilNode(machine, node, 'initialised by the controller', isInitialized);
      startAgent(machine, { nodeName: node, flags: agentFlags });
      const byBoth = await untilNode(machine, node, 'marked by the agent', isMarked);
      await untilBothHaveRead(gcp, 3);
      t.equal((await writesOfBoth(machine, node)).length, before + 3, 'two of the controller, and the mark');
      for (const { spec, status, metadata } of [byController, byBoth]) {
        t.equal(spec.providerID, `gce://${keyOf(instance)}`);
        t.equal(metadata.annotations?.[keys.instanceId], instance.id);
        t.strictSame(status.addresses, byController.status.addresses);
      }
      const warnings = (await eventsOn(machine, node)).filter(({ type }) => type === 'Warning');
      t.match(warnings, [{ reason: 'NodeUpdateFailed' }], 'only that of the metadata server');
    },
  );
});

interface GoogleMachine extends MachineEnvironment {
  readonly gcp: LabCloud<GcpState>;
}

/** The machine and Compute Engine know the same instance. */
async function startGoogleMachine(t: Test): Promise<GoogleMachine> {
  const plane = await sharedControlPlaneFor(t);
  const sites = [gcpSite('googleapis.com')];
  const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'gcp', ipVersions: [4] });
  const machine = await connectMachine(t, plane, network);
  await clouds.gcp.update({ computeInstances: { [keyOf(instance)]: instance }, ...metadataStateOf(instance) });
  return { ...machine, gcp: clouds.gcp };
}

function isMarked({ metadata }: Node): boolean {
  return metadata.annotations?.[keys.describedByAgent] === 'gcp';
}

/** Until the agent has read its metadata so many times more, and the controller has looked the instance up. */
async function untilBothHaveRead(gcp: LabCloud<GcpState>, times: number): Promise<void> {
  await Promise.all([metadataPath, computePath].map((path) => untilRequested(gcp, path, times)));
}

async function untilRequested(gcp: LabCloud<GcpState>, path: RegExp, times: number): Promise<void> {
  const count = async (): Promise<number> => (await gcp.requests()).filter((request) => path.test(request.path)).length;
  const before = await count();
  await waitUntil({ what: `${String(path)} ${String(times)} times`, withinMs: 30_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}
