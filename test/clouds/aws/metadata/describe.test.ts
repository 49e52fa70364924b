import t from 'tap';
import type { Test } from 'tap';
import { describeInstance } from '../../../../clouds/aws/metadata/describe.ts';
import type { IpFamily } from '../../../../schemas/config/aws.ts';
import type { Instance, NodeFacts } from '../../../../clouds/cloud.ts';
import { sameAddress } from '../../../../lib/node/addresses.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { initialAwsState } from '../../../lab/clouds/aws/state.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { awsConfig } from '../config.ts';
import { nodeOf, startEc2Lab, westScope } from '../ec2-lab.ts';
import type { Ec2Lab } from '../ec2-lab.ts';

const ec2 = await startEc2Lab(t);
t.beforeEach(() => ec2.lab.reset());

const { instance: own, accountId } = initialAwsState();
const plain: Ec2Instance = {
  instanceId: own.instanceId,
  accountId,
  region: own.region,
  zone: own.zone,
  zoneId: 'usw2-az2',
  instanceType: own.instanceType,
  state: 'running',
  launchedAtMs: 0,
  privateDnsName: 'ip-10-0-0-20.us-west-2.compute.internal',
  interfaces: [{ deviceIndex: 0, status: 'in-use', privateIps: ['10.0.0.20'], ipv6: [] }],
  tags: {},
};
const manyInterfaces: Ec2Instance['interfaces'] = [
  { deviceIndex: 2, status: 'in-use', privateIps: ['10.0.2.20', '10.0.2.21'], ipv6: ['2001:db8:2::1'] },
  { deviceIndex: 0, status: 'in-use', privateIps: ['10.0.0.20', '10.0.0.21'], ipv6: ['2001:db8::20', '2001:db8::21'] },
  { deviceIndex: 1, status: 'in-use', privateIps: ['10.0.1.20'], ipv6: [] },
  { deviceIndex: 3, status: 'available', privateIps: ['10.0.3.20'], ipv6: [] },
];

interface Shape {
  readonly changed?: Partial<Ec2Instance>;
  readonly families?: readonly IpFamily[];
  readonly node?: Partial<NodeFacts>;
  readonly dhcpDomain?: string;
}

const shapes: Readonly<Record<string, Shape>> = {
  'with one address': {},
  'with a public address and name': {
    changed: { publicIp: '192.0.2.20', publicDnsName: 'ec2-192-0-2-20.us-west-2.compute.amazonaws.com' },
  },
  'with many interfaces': { changed: { interfaces: manyInterfaces } },
  'dual-stack': { changed: { interfaces: manyInterfaces }, families: ['ipv4', 'ipv6'] },
  'dual-stack, IPv6 first': { changed: { interfaces: manyInterfaces }, families: ['ipv6', 'ipv4'] },
  'of IPv6 only': {
    changed: {
      privateDnsName: 'i-0a1b2c3d4e5f60718.us-west-2.compute.internal',
      interfaces: [{ deviceIndex: 0, status: 'in-use', privateIps: [], ipv6: ['2001:db8::20'] }],
    },
    families: ['ipv6'],
  },
  'whose kubelet uses a secondary address': {
    changed: { interfaces: manyInterfaces },
    node: { nodeIps: ['10.0.2.21'] },
  },
  'whose kubelet names both families, which the configuration does not': {
    changed: { interfaces: manyInterfaces },
    node: { nodeIps: ['2001:0db8::21', '10.0.0.20'] },
  },
  'in a VPC with a domain of its own': { dhcpDomain: 'corp.example' },
  'in a local zone': { changed: { zone: 'us-west-2-lax-1a', zoneId: 'usw2-lax1-az1' } },
};

for (const [name, shape] of Object.entries(shapes)) {
  await t.test(`an instance ${name} is the same by its own metadata and by EC2`, async (t) => {
    const instance = { ...plain, ...shape.changed };
    await ec2.lab.update({
      ec2Instances: { [instance.instanceId]: instance },
      instance: { zone: instance.zone, ...(shape.dhcpDomain !== undefined && { dhcpDomain: shape.dhcpDomain }) },
    });
    const config = { nodeIpFamilies: [...(shape.families ?? (['ipv4'] as const))] };
    const node = { ...nodeOf(instance), ...shape.node };
    const [finding] = await ec2.lookUp(ec2.instances(config), westScope, [node]);
    if (finding?.status !== 'running') throw new Error('EC2 does not show it');
    const self = await describe(ec2, node, config.nodeIpFamilies);
    t.strictSame(self, finding.instance);
    t.ok(self.addresses.length > 0);
    const texts = self.addresses.map(({ address }) => address);
    const missing = node.nodeIps.filter((nodeIp) => !texts.some((each) => sameAddress(each, nodeIp)));
    t.strictSame(missing, [], 'what the kubelet was told to use is among them');
  });
}

const faults = {
  'that the port is closed': { fault: { kind: 'refuse' }, expected: 'unavailable' },
  'errors of the service': { fault: { kind: 'status', status: 500 }, expected: 'unavailable' },
  'answers in no format': { fault: { kind: 'garbage' }, expected: 'invalid-response' },
  'empty answers': { fault: { kind: 'empty' }, expected: 'invalid-response' },
  'answers cut off': { fault: { kind: 'cut-off' }, expected: undefined },
  'a page in place of the interfaces': {
    fault: { kind: 'garbage', pathPrefix: '/latest/meta-data/network' },
    expected: 'invalid-response',
  },
  'a page in place of the zone': {
    fault: { kind: 'garbage', pathPrefix: '/latest/meta-data/placement/availability-zone' },
    expected: 'invalid-response',
  },
  throttling: { fault: { kind: 'throttle' }, expected: 'throttled' },
} as const;
for (const [name, { fault, expected }] of Object.entries(faults)) {
  await t.test(`${name}: a failure with a hint, and no invented value`, async (t) => {
    await ec2.lab.addFault({ service: 'imds', ...fault });
    await t.rejects(describe(ec2, nodeOf(plain), ['ipv4']), {
      name: 'Failure',
      ...(expected !== undefined && { kind: expected }),
      remedy: /^(?!.*give credentials)./,
    });
    t.notOk(showsSecret(ec2.logLines.join('\n')));
  });
}

await t.test('a slow service is waited for', async (t: Test) => {
  await ec2.lab.addFault({ service: 'imds', kind: 'delay', delayMs: 200 });
  t.match(await describe(ec2, nodeOf(plain), ['ipv4']), { type: 'm7g.large' });
});

await t.test('where it is not to be asked it is not', async (t) => {
  const env = { AWS_EC2_METADATA_DISABLED: 'true' };
  await t.rejects(describeInstance(nodeOf(plain), { env, config: awsConfig }, ec2.context()), {
    kind: 'misconfigured',
    message: /DISABLED is set/,
  });
  t.strictSame(await ec2.lab.requests(), []);
});

function describe({ env, context }: Ec2Lab, node: NodeFacts, nodeIpFamilies: readonly IpFamily[]): Promise<Instance> {
  return describeInstance(node, { env, config: { ...awsConfig, nodeIpFamilies: [...nodeIpFamilies] } }, context());
}
