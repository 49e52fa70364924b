import t from 'tap';
import { planAddresses } from '../../../../lib/node/addresses.ts';
import type { Instance, NodeFacts } from '../../../../clouds/cloud.ts';
import { startAzureLab } from '../azure-lab.ts';

const { lab, cloud, context, requestLines, waitsMs } = await startAzureLab(t);
const resourceGroup = 'azure:///subscriptions/33333333-3333-4333-8333-333333333333/resourceGroups/lab';
const compute = `${resourceGroup}/providers/Microsoft.Compute`;
const loadBalancer = { service: 'imds', pathPrefix: '/metadata/loadbalancer' } as const;

async function describe(node: Partial<NodeFacts> = {}): Promise<Instance> {
  const { metadata } = cloud({});
  if (metadata === undefined) throw new Error('there is no metadata');
  return metadata.describe({ uid: 'uid', name: 'lab-vm000000', nodeIps: [], labels: {}, ...node }, context());
}

await t.test('a virtual machine as a Node needs it, by two requests', async (t) => {
  t.strictSame(await describe(), {
    providerId: `${compute}/virtualMachines/lab-vm_0`,
    instanceId: '44444444-4444-4444-8444-444444444444',
    type: 'Standard_D4ps_v6',
    region: 'westeurope',
    zone: 'westeurope-2',
    addresses: [{ type: 'InternalIP', address: '10.1.0.4' }],
    labels: {},
  });
  t.strictSame(await requestLines(), [
    'GET imds /metadata/instance?api-version=2021-10-01&format=json',
    'GET imds /metadata/loadbalancer?api-version=2020-10-01&format=json',
  ]);
});

await t.test('a machine of a scale set, in other cases than Azure writes elsewhere', async (t) => {
  await lab.update({
    machine: { resourceGroup: 'MC_Lab', location: 'WestEurope', scaleSet: { name: 'Pool-vmss', number: '17' } },
  });
  t.match(await describe(), {
    providerId: `${compute.replace('/lab/', '/mc_lab/')}/virtualMachineScaleSets/Pool-vmss/virtualMachines/17`,
    region: 'westeurope',
    zone: 'westeurope-2',
  });
});

await t.test('where there are no zones, the zone is the fault domain', async (t) => {
  await lab.update({ machine: { zone: '', faultDomain: '1', subFaultDomain: '3' } });
  t.match(await describe(), {
    zone: '1',
    region: 'westeurope',
    labels: { 'topology.kubernetes.azure.com/sub-fault-domain': '3' },
  });
});

await t.test('both families, and their public addresses by the load balancer', async (t) => {
  const publicIps = [
    { frontend: '51.0.0.1', private: '10.1.0.4' },
    { frontend: '2603:10e1:100:2::1:1', private: 'ace:cab:deca:deed::1' },
    { frontend: '51.0.0.9', private: '10.1.0.9' },
  ];
  await lab.update({ machine: { ipv6: 'ace:cab:deca:deed::1', publicIps } });
  const instance = await describe();
  t.strictSame(instance.addresses, [
    { type: 'InternalIP', address: '10.1.0.4' },
    { type: 'InternalIP', address: 'ace:cab:deca:deed::1' },
    { type: 'ExternalIP', address: '51.0.0.1' },
    { type: 'ExternalIP', address: '2603:10e1:100:2::1:1' },
  ]);
  t.equal(instance.unread, undefined);
});

await t.test('of IPv6 only', async (t) => {
  await lab.update({ machine: { privateIp: '', ipv6: 'fd00::4' } });
  t.strictSame((await describe()).addresses, [{ type: 'InternalIP', address: 'fd00::4' }]);
});

await t.test("the kubelet's --node-ip of another interface", async (t) => {
  await lab.update({ machine: { moreInterfaces: [{ ipv4: '10.2.0.4', ipv6: 'fd00::24' }] } });
  const nodeIps = ['10.2.0.4', 'fd00:0::24'];
  const { addresses } = await describe({ nodeIps });
  t.match(planAddresses({ instance: addresses, node: [], providedNodeIps: nodeIps }), {
    kind: 'addresses',
    addresses: [{ address: '10.2.0.4' }, { address: 'fd00::24' }],
  });
});

const notYet: Readonly<Record<string, Parameters<typeof lab.addFault>[0]>> = {
  '503': { ...loadBalancer, kind: 'status', status: 503, body: '{"error":"Internal service unavailable."}' },
  '404 for now': {
    ...loadBalancer,
    kind: 'status',
    status: 404,
    body: '{"error":"/metadata/loadbalancer is not currently available"}',
  },
  throttled: { ...loadBalancer, kind: 'throttle' },
  'no JSON': { ...loadBalancer, kind: 'garbage' },
  'cut off': { ...loadBalancer, kind: 'cut-off' },
  'no answer': { ...loadBalancer, kind: 'hang' },
};
for (const [name, fault] of Object.entries(notYet)) {
  await t.test(`the load balancer's part, ${name}: described without it, once, and read again later`, async (t) => {
    await lab.update({ machine: { publicIps: [{ frontend: '51.0.0.1', private: '10.1.0.4' }] } });
    await lab.addFault(fault);
    t.match(await describe(), {
      addresses: [{ type: 'InternalIP', address: '10.1.0.4' }],
      unread: ['external-addresses'],
    });
    t.strictSame(waitsMs, []);
    await lab.clearFaults();
    const later = await describe();
    t.match(later.addresses[1], { type: 'ExternalIP', address: '51.0.0.1' });
    t.equal(later.unread, undefined);
  });
}

await t.test('with a public address in the instance document nothing is unread', async (t) => {
  await lab.update({ machine: { publicIp: '51.0.0.7' } });
  await lab.addFault({ ...loadBalancer, kind: 'status', status: 503 });
  const { addresses, unread } = await describe();
  t.match(addresses[1], { type: 'ExternalIP', address: '51.0.0.7' });
  t.equal(unread, undefined);
});

for (const status of [404, 410, 429, 500]) {
  await t.test(`the instance document, HTTP ${status} for a while: it passes`, async (t) => {
    await lab.addFault({ service: 'imds', pathPrefix: '/metadata/instance', kind: 'status', status, count: 2 });
    t.match(await describe(), { zone: 'westeurope-2' });
    t.equal(waitsMs.length, 2);
  });
}

await t.test('the remedy is about the machine, and not about tokens', async (t) => {
  await lab.addFault({ service: 'imds', kind: 'refuse' });
  await t.rejects(describe(), { name: 'Failure', kind: 'unavailable', remedy: 'let this node reach that address' });
});
