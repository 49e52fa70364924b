import t from 'tap';
import type { Instance, NodeFacts } from '../../../clouds/cloud.ts';
import { metadataMachineOf } from '../../lab/clouds/azure/metadata-machine.ts';
import { labGroup, virtualMachines } from '../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../lab/clouds/azure/virtual-machine.ts';
import { lookUpOne, nodeOf, startMachinesLab } from './machines-lab.ts';

const machinesLab = await startMachinesLab(t);
const { azure, setMachines } = machinesLab;
const [single] = virtualMachines({ count: 1, number: 1 }) as readonly [LabVirtualMachine];
const [scaled] = virtualMachines({ count: 1, number: 2, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const flexibleSet = `${labGroup}/providers/Microsoft.Compute/virtualMachineScaleSets/flex`;

const first = { primary: false, addresses: [{ privateIp: '10.9.0.9', publicIp: '51.9.0.9' }] };
const primary = {
  primary: true,
  addresses: [
    { privateIp: '10.1.0.4', publicIp: '51.0.0.4' },
    { privateIp: 'fd00::4', publicIp: '2603::4' },
  ],
};

const machines: Readonly<Record<string, LabVirtualMachine>> = {
  'a machine of its own': single,
  'one of a uniform scale set': scaled,
  'one of a flexible scale set': { ...single, flexibleSet },
  'without zones': { ...single, zones: [], faultDomain: 2 },
  'without zones and fault domain': { ...single, zones: [], faultDomain: null },
  'with names and ids in other cases': {
    ...single,
    id: single.id.replace('/lab/', '/LAB/'),
    vmId: single.vmId.toUpperCase(),
    location: 'West Europe',
  },
  'with addresses of both families': { ...single, interfaces: [primary] },
  'with a second interface that is the primary one': { ...single, interfaces: [first, primary] },
  'in a scale set, with a second interface that is the primary one': { ...scaled, interfaces: [first, primary] },
};
const nodeIps: readonly (readonly string[])[] = [[], ['10.9.0.9'], ['fd00::4']];

for (const [what, machine] of Object.entries(machines)) {
  await t.test(`agent and controller see the same: ${what}`, async (t) => {
    await setMachines([machine]);
    await azure.lab.update({ machine: metadataMachineOf(machine) });
    for (const ips of nodeIps) {
      const node = { ...nodeOf(machine), nodeIps: ips };
      t.match(await lookUpOne(machinesLab, node), { status: 'running' });
      t.strictSame(await byMetadata(machine, node), await byResourceManager(node), `--node-ip ${ips.join()}`);
    }
  });
}

await t.test('a Node keeps its zone if neither a zone nor a fault domain is shown', async (t) => {
  const machine = { ...single, zones: [], faultDomain: null };
  await setMachines([machine]);
  await azure.lab.update({ machine: metadataMachineOf(machine) });
  const node = { ...nodeOf(machine), labels: { 'topology.kubernetes.io/zone': '2' } };
  const instance = await byResourceManager(node);
  t.equal(instance?.zone, undefined);
  t.strictSame(await byMetadata(machine, node), instance);
  t.equal((await byMetadata(machine, nodeOf(machine))).zone, '0');
});

await t.test('the routes and the names of interfaces cannot be read: the first interface counts', async (t) => {
  await azure.lab.update({ machine: metadataMachineOf({ ...single, interfaces: [first, primary] }) });
  t.match((await describe({}, nodeOf(single))).addresses[0], { address: '10.9.0.9' });
});

async function byResourceManager(node: NodeFacts): Promise<Instance | undefined> {
  const result = await lookUpOne(machinesLab, node);
  return result !== undefined && 'instance' in result ? result.instance : undefined;
}

/** On a machine whose interfaces are eth0, eth1 and so on, and which reaches the metadata by the primary one. */
async function byMetadata({ interfaces }: LabVirtualMachine, node: NodeFacts): Promise<Instance> {
  const primaryAt = interfaces.findIndex((each) => each.primary);
  const routes = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    `eth${primaryAt}\t00000000\t0100010A\t0003\t0\t0\t100\t00000000\t0\t0\t0`,
    `eth${primaryAt}\tFEA9FEA9\t0100010A\t0007\t0\t0\t100\tFFFFFFFF\t0\t0\t0`,
  ];
  const macs = interfaces.map((_each, at) => [`/sys/class/net/eth${at}/address`, `00:0d:3a:11:11:1${at}\n`] as const);
  return describe({ '/proc/net/route': `${routes.join('\n')}\n`, ...Object.fromEntries(macs) }, node);
}

async function describe(files: Readonly<Record<string, string>>, node: NodeFacts): Promise<Instance> {
  const { metadata } = azure.cloud({ files });
  if (metadata === undefined) throw new Error('there is no metadata');
  return metadata.describe(node, azure.context());
}
