import t from 'tap';
import { planAddresses, sameAddresses } from '../../../lib/node/addresses.ts';
import type { NodeAddress } from '../../../schemas/kubernetes.ts';

const internal = (address: string): NodeAddress => ({ type: 'InternalIP', address });
const external = (address: string): NodeAddress => ({ type: 'ExternalIP', address });
const hostname = (address: string): NodeAddress => ({ type: 'Hostname', address });

const instance = [internal('10.0.0.5'), internal('10.0.1.5'), internal('fd00::5'), external('192.0.2.5')];
const node = [internal('10.9.9.9'), hostname('node-a')];

interface Case {
  readonly name: string;
  readonly instance: readonly NodeAddress[];
  readonly providedNodeIps: readonly string[];
  readonly expected: readonly NodeAddress[];
}

const cases: readonly Case[] = [
  {
    name: "the instance's, in its order, and the kubelet's Hostname",
    instance,
    providedNodeIps: [],
    expected: [...instance, hostname('node-a')],
  },
  { name: 'a cloud that tells none changes none', instance: [], providedNodeIps: [], expected: node },
  {
    name: 'a node IP that is not the first address comes first and is the only one of its type',
    instance,
    providedNodeIps: ['10.0.1.5'],
    expected: [internal('10.0.1.5'), external('192.0.2.5'), hostname('node-a')],
  },
  {
    name: 'a pair of node IPs keeps the order of the kubelet',
    instance,
    providedNodeIps: ['fd00::5', '10.0.0.5'],
    expected: [internal('fd00::5'), internal('10.0.0.5'), external('192.0.2.5'), hostname('node-a')],
  },
  {
    name: 'another spelling of an IPv6 address is the same address',
    instance,
    providedNodeIps: ['FD00:0:0:0:0:0:0:5'],
    expected: [internal('fd00::5'), external('192.0.2.5'), hostname('node-a')],
  },
  {
    name: "the cloud's Hostname goes before the kubelet's",
    instance: [internal('10.0.0.5'), hostname('ip-10-0-0-5.ec2.internal')],
    providedNodeIps: [],
    expected: [internal('10.0.0.5'), hostname('ip-10-0-0-5.ec2.internal')],
  },
  {
    name: 'what the cloud repeats is there once',
    instance: [internal('10.0.0.5'), internal('10.0.0.5')],
    providedNodeIps: [],
    expected: [internal('10.0.0.5'), hostname('node-a')],
  },
];

for (const { name, expected, ...sources } of cases) {
  await t.test(name, async (t) => {
    t.strictSame(planAddresses({ ...sources, node }), { kind: 'addresses', addresses: expected });
  });
}

await t.test('a node IP that the instance does not have is reported', async (t) => {
  const plan = planAddresses({ instance, node, providedNodeIps: ['10.0.0.5', '10.7.7.7'] });
  t.strictSame(plan, { kind: 'not-found', nodeIp: '10.7.7.7' });
});

await t.test('addresses are compared one by one, in their order', async (t) => {
  t.equal(sameAddresses(instance, [...instance]), true);
  t.equal(sameAddresses(instance, instance.toReversed()), false);
  t.equal(sameAddresses(instance, instance.slice(1)), false);
  t.equal(sameAddresses([internal('10.0.0.5')], [external('10.0.0.5')]), false);
});

await t.test('external addresses that could not be read stay as the Node has them, in their place', async (t) => {
  const current = [internal('10.0.0.5'), external('192.0.2.5'), hostname('node-a')];
  const planFor = (addresses: readonly NodeAddress[], before = current): object =>
    planAddresses({ instance: addresses, node: before, providedNodeIps: [], keepsExternal: true });
  t.strictSame(planFor([internal('10.0.0.5')]), { kind: 'addresses', addresses: current });
  t.strictSame(planFor([internal('10.0.0.5'), external('192.0.2.9')]), { kind: 'addresses', addresses: current });
  t.strictSame(planFor([internal('10.0.0.6')]), {
    kind: 'addresses',
    addresses: [internal('10.0.0.6'), external('192.0.2.5'), hostname('node-a')],
  });
  t.strictSame(planFor([internal('10.0.0.6')], []), { kind: 'addresses', addresses: [internal('10.0.0.6')] });
});
