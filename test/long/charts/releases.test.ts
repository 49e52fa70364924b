import t from 'tap';
import type { Test } from 'tap';
import { metadataMachineOf } from '../../lab/clouds/azure/metadata-machine.ts';
import { initialAzureState } from '../../lab/clouds/azure/state.ts';
import { labSubscription, virtualMachines } from '../../lab/clouds/azure/virtual-machine.ts';
import { keyOf } from '../../lab/clouds/gcp/compute-instance.ts';
import { initialGcpState } from '../../lab/clouds/gcp/state.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import type { LabNode } from '../../lab/node/lab-node.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { requires } from '../../lab/requires.ts';
import { imageSupport, programImages } from '../../lab/helm/program-images.ts';
import { trustOfNode } from '../../lab/helm/release.ts';
import { releaseSteps } from '../../system/node/chart/release-steps.ts';
import type { ReleaseOptions } from '../../system/node/chart/release-steps.ts';

/** AWS is in test/system/node/chart/release-on-aws.ts, with logins meanwhile. */
interface ReleaseCase extends ReleaseOptions {
  boot(t: Test): Promise<Pick<LabNode<never>, 'plane' | 'name' | 'importArchive'>>;
}

const metal = 'metal-1';
const inventory = `machines: [{ name: ${metal}, addresses: [{ type: InternalIP, address: 10.0.0.40 }], labels: { example.com/rack: r1 } }]`;

const cases: Readonly<Record<string, ReleaseCase>> = {
  'bare metal': {
    boot: (t) => {
      const machine = { hostname: metal, addresses: ['10.0.0.40'], dmi: { sys_vendor: 'Dell Inc.' } };
      return nodeFor(t, 'aws', { machineOf: 'nobody', machine, plugin: 'none' });
    },
    values: {
      clouds: ['static'],
      config: { static: { inventoryFile: '/etc/polycloud/inventory.yaml' } },
      configFiles: { 'inventory.yaml': inventory },
      agent: { extraLabels: ['example.com/rack'] },
    },
    providerId: /^static:\/\/metal-1$/,
  },
  Azure: {
    boot: async (t) => {
      const node = await nodeFor(t, 'azure', {});
      const { machine } = initialAzureState();
      const [plain] = virtualMachines({ count: 1, number: 1, scaleSet: 'lab-vm' });
      if (plain === undefined) throw new Error('no machine');
      const interfaces = [{ primary: true, addresses: [{ privateIp: machine.privateIp }] }];
      const virtualMachine = { ...plain, vmId: machine.vmId, interfaces };
      await node.clouds.azure.update({
        machine: metadataMachineOf(virtualMachine),
        resourceManager: { machines: [virtualMachine] },
      });
      return node;
    },
    values: {
      clouds: ['azure'],
      config: { azure: { scopes: [{ name: 'prod', subscriptionId: labSubscription }] } },
      ccm: trustOfNode,
    },
    providerId: /^azure:\/\/\/subscriptions\/.*\/virtualMachineScaleSets\/lab-vm\/virtualMachines\/0$/,
  },
  'Google Cloud': {
    boot: async (t) => {
      const node = await nodeFor(t, 'gcp', {});
      const { projectId: project, instance } = initialGcpState();
      const computeInstance = { ...instance, project, status: 'RUNNING' } as const;
      await node.clouds.gcp.update({ computeInstances: { [keyOf(computeInstance)]: computeInstance } });
      return node;
    },
    values: { clouds: ['gcp'], ccm: trustOfNode },
    providerId: /^gce:\/\/lab-project\/us-central1-a\/lab-node-1$/,
  },
};

const missing = [await nodeSupport(), await findHelm(), imageSupport()].find(({ available }) => !available);

t.setTimeout(900_000);

await t.test('the life of a release', requires(missing ?? { available: true }), async (t) => {
  const images = await programImages(['polycloud-ccm', 'polycloud-node-agent']);
  t.teardown(images.remove);
  for (const [what, { boot, ...options }] of Object.entries(cases)) {
    await t.test(what, async (t) => {
      const node = await boot(t);
      for (const file of images.files) await node.importArchive(file);
      const steps = releaseSteps(t, node, options);
      await steps.install();
      await steps.upgradeAndRollBack();
      await steps.remove();
    });
  }
});
