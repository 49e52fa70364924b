import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { sharedControlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { createNamespace } from '../../lab/network/namespace.ts';
import { startMetadataProxy } from '../../lab/openstack/metadata-proxy.ts';
import { startAgent } from '../../system/api-server/node-agent/agent-process.ts';
import { connectMachine } from '../../system/api-server/node-agent/machine-environment.ts';
import { startEnvironment } from '../../system/api-server/ccm/environment.ts';
import { isInitialised, register } from '../../system/api-server/ccm/nodes.ts';
import { providerIdOf, untilNode } from './waits.ts';
import { addMachine } from './world.ts';
import type { OpenStackWorld } from './world.ts';

/** The agent that was built, with Nova's own metadata service at its address. */
export async function testAgent(t: Test, world: OpenStackWorld): Promise<void> {
  await t.test('the agent describes its Node from the metadata of Nova', async (t) => {
    const { cloud, cluster } = world;
    const machine = await addMachine(world, cluster, { name: 'with-agent', zone: 'zone 1/a', withFloatingIp: true });
    const plane = await sharedControlPlaneFor(t);
    const trust = cloud.authorityFile;
    const namespace = await createNamespace({ addresses: ['169.254.169.254'], hosts: {}, trust });
    const stop = async (): Promise<void> => {
      namespace.remove();
      return Promise.resolve();
    };
    const environment = await connectMachine(t, plane, { namespace, stop });
    const address = machine.port.addresses[0] ?? '';
    const asked = { serverId: machine.id, projectId: cluster.project.id, address };
    await startMetadataProxy(namespace, cloud.directory, asked);
    const nodes = await startEnvironment(t, plane);
    await register(nodes, { name: machine.name, isReady: true, isNew: true });
    const config = join(environment.directory, 'config.yaml');
    await writeFile(config, stringify({ openstack: { region: 'RegionOne' } }));
    const agent = startAgent(environment, {
      nodeName: machine.name,
      flags: ['--cloud', 'openstack', '--config', config],
    });
    t.teardown(() => writeFile(join(cloud.logDirectory, 'polycloud-node-agent.log'), agent.output()));

    const node = await untilNode(nodes, machine.name, 'initialised', isInitialised);
    t.equal(node.spec.providerID, providerIdOf(machine));
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': 'm1.small',
      'topology.kubernetes.io/region': 'RegionOne',
      'topology.kubernetes.io/zone': 'zone-1-a',
      'polycloud.dev/openstack-project-id': cluster.project.id,
    });
    t.strictSame(node.status.addresses, [
      { type: 'InternalIP', address },
      { type: 'ExternalIP', address: machine.floatingIp },
    ]);
  });
}
