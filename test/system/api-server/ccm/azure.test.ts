import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createAuthority } from '../../../lab/authority.ts';
import { azure } from '../../../lab/clouds/azure/cloud.ts';
import { initialAzureState } from '../../../lab/clouds/azure/state.ts';
import type { AzureState } from '../../../lab/clouds/azure/state.ts';
import { labGroup, labSubscription, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../../lab/clouds/loopback.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { quickFlags, startController, untilLogged } from './controller-process.ts';
import type { ControllerProcessSettings } from './controller-process.ts';
import { deletionsBy, isInitialised, namesOf, readNode, register, setReady, untilDeleted, untilNode } from './nodes.ts';
import { onCluster } from './on-cluster.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };
const [byName] = virtualMachines({ count: 1, number: 1, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const fleet = virtualMachines({ count: 5, number: 2 });
const [awake, halted, reused, silent, lost] = fleet as readonly [
  LabVirtualMachine,
  LabVirtualMachine,
  LabVirtualMachine,
  LabVirtualMachine,
  LabVirtualMachine,
];

await onCluster('Nodes on Azure', async (t, environment) => {
  const { lab, settings } = await startAzure(t);
  const setMachines = (machines: readonly LabVirtualMachine[]): Promise<void> =>
    lab.update({ resourceManager: { machines } });
  await setMachines([byName, ...fleet]);
  for (const machine of fleet) {
    const providerID = `azure://${machine.id}`;
    await register(environment, { name: nameOf(machine), providerID, isReady: true, isNew: false });
  }
  await register(environment, { name: 'pool000000', isReady: true, isNew: true });
  const { output } = await startController(environment, { deletion, flags: quickFlags, ...settings });

  await t.test('a new one is initialised by the name in its system', async (t) => {
    const node = await untilNode(environment, 'pool000000', 'initialised', isInitialised);
    t.equal(node.spec.providerID, `azure://${byName.id}`);
    t.equal(node.metadata.annotations?.[keys.instanceId], byName.vmId);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': byName.size,
      'topology.kubernetes.io/region': 'westeurope',
      'topology.kubernetes.io/zone': 'westeurope-1',
    });
    t.match(node.status.addresses, [{ type: 'InternalIP', address: '10.1.0.0' }]);
  });

  await t.test('known ones get the ids of their machines', async () => {
    for (const each of fleet) await untilNode(environment, nameOf(each), 'has the id', hasId(each.vmId));
  });

  await t.test('404 for the whole resource group: nothing is deleted', async (t) => {
    await lab.update({ resourceManager: { resourceGroups: [] } });
    await setReady(environment, nameOf(silent), false);
    await untilLookedUp(lab, silent, 3);
    await lab.update({ resourceManager: { resourceGroups: [labGroup] } });
    t.ok(await readNode(environment, nameOf(silent)));
    await setReady(environment, nameOf(silent), true);
  });

  await t.test('deallocated, adopted and deleted machines', async (t) => {
    for (const each of [halted, lost]) await setReady(environment, nameOf(each), false);
    const newId = reused.vmId.replace(/^./, '6');
    await setMachines([byName, awake, silent, { ...halted, powerState: 'deallocated' }, { ...reused, vmId: newId }]);
    await untilNode(environment, nameOf(halted), 'tainted', isShutDown);
    await untilNode(environment, nameOf(reused), 'adopted', hasId(newId));
    await untilDeleted(environment, nameOf(lost));
    await untilLogged(output, /"Node deleted" .*ResourceNotFound/, 20_000);
    t.strictSame(namesOf(await deletionsBy(environment)), [nameOf(lost)]);
  });
});

interface Azure {
  readonly lab: LabCloud<AzureState>;
  readonly settings: Pick<ControllerProcessSettings, 'clouds' | 'config' | 'env'>;
}

/** On another address than in production, which is the audience of its tokens too. */
async function startAzure(t: Test): Promise<Azure> {
  const authority = await createAuthority(t.testdir());
  const lab = await runOnLoopback(azure, { plain: ['imds'], tls: await authority.issue('azure', ['127.0.0.1']) });
  t.teardown(lab.stop);
  const resourceManager = lab.url('resource-manager');
  await lab.update({ audiences: [...initialAzureState().audiences, resourceManager] });
  return {
    lab,
    settings: {
      clouds: ['azure'],
      config: { azure: { resourceManager } },
      env: {
        AZURE_SUBSCRIPTION_ID: labSubscription,
        AZURE_POD_IDENTITY_AUTHORITY_HOST: lab.url('imds'),
        SSL_CERT_FILE: authority.certificateFile,
      },
    },
  };
}

function nameOf({ id }: LabVirtualMachine): string {
  return id.split('/').at(-1) ?? '';
}

function hasId(vmId: string): (node: Node) => boolean {
  return ({ metadata }) => metadata.annotations?.[keys.instanceId] === vmId;
}

function isShutDown({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown');
}

/** Until this machine was requested so many times more. */
async function untilLookedUp(lab: LabCloud<AzureState>, { id }: LabVirtualMachine, times: number): Promise<void> {
  const count = async (): Promise<number> =>
    (await lab.requests()).filter(({ path }) => path.startsWith(`${id}?`)).length;
  const before = await count();
  await waitUntil({ what: `${id} is looked up ${times} times`, withinMs: 20_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}
