import t from 'tap';
import { addressesOf, familiesOf } from '../../../../clouds/aws/instance.ts';
import { parseInstancePage } from '../../../../clouds/aws/instances/parse.ts';
import type { DescribedInstance } from '../../../../clouds/aws/instance.ts';

const networkInterface = (status: string, device: number, card: number, addresses: string): string => `<item>
  <status>${status}</status>
  <privateIpAddressesSet>${addresses}</privateIpAddressesSet>
  <attachment><deviceIndex>${device}</deviceIndex><networkCardIndex>${card}</networkCardIndex></attachment>
  <ipv6AddressesSet><item><ipv6Address>2001:db8::${device}${card}2</ipv6Address></item><item>
    <ipv6Address>2001:db8::${device}${card}1</ipv6Address><isPrimaryIpv6>true</isPrimaryIpv6></item></ipv6AddressesSet>
</item>`;
const ip = (address: string, primary: boolean): string =>
  `<item><privateIpAddress>${address}</privateIpAddress><primary>${primary}</primary></item>`;

const page = (inside: string, rest = ''): string => `<DescribeInstancesResponse><reservationSet><item>
  <ownerId>123456789012</ownerId><instancesSet>${inside}</instancesSet></item></reservationSet>${rest}</DescribeInstancesResponse>`;

const whole = `<item><instanceId>i-1</instanceId><instanceState><code>16</code><name>running</name></instanceState>
  <privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName><dnsName>ec2-54.compute.amazonaws.com</dnsName>
  <ipAddress>54.1.2.3</ipAddress><privateIpAddress>10.0.0.1</privateIpAddress><instanceType>m7g.large</instanceType>
  <placement><availabilityZone>us-east-1a</availabilityZone><availabilityZoneId>use1-az4</availabilityZoneId></placement>
  <networkInterfaceSet>
    ${networkInterface('in-use', 1, 1, ip('10.0.3.1', true))}
    ${networkInterface('in-use', 1, 0, ip('10.0.1.9', false) + ip('10.0.1.1', true))}
    ${networkInterface('available', 2, 0, ip('10.0.2.1', true))}
    ${networkInterface('in-use', 0, 0, ip('10.0.0.1', true) + ip('10.0.0.8', false) + ip('10.0.0.9', false))}
  </networkInterfaceSet></item>`;

const parsed = parseInstancePage(page(whole));
const instance = parsed?.instances[0] as DescribedInstance;

await t.test('everything that a Node needs', (t) => {
  t.match(instance, {
    instanceId: 'i-1',
    ownerId: '123456789012',
    state: 'running',
    type: 'm7g.large',
    zone: 'us-east-1a',
    zoneId: 'use1-az4',
    publicIp: '54.1.2.3',
  });
  t.same(
    instance.interfaces.map(({ ipv4 }) => ipv4),
    [['10.0.0.1', '10.0.0.8', '10.0.0.9'], ['10.0.1.1', '10.0.1.9'], ['10.0.3.1']],
    'by card and device, the primary first, those in use',
  );
  t.end();
});

const text = (families: readonly ('ipv4' | 'ipv6')[], nodeIps: readonly string[]): readonly string[] =>
  addressesOf(instance, families, { nodeIps }).map(({ type, address }) => `${type} ${address}`);
const names = [
  'InternalDNS ip-10-0-0-1.ec2.internal',
  'Hostname ip-10-0-0-1.ec2.internal',
  'ExternalDNS ec2-54.compute.amazonaws.com',
];
const ipv4 = ['10.0.0.1', '10.0.1.1', '10.0.3.1'].map((address) => `InternalIP ${address}`);
const ipv6 = ['2001:db8::001', '2001:db8::101', '2001:db8::111'].map((address) => `InternalIP ${address}`);

await t.test('the primary address of each interface: what pods have is not the node’s', (t) => {
  t.same(text(['ipv4'], []), [...ipv4, 'ExternalIP 54.1.2.3', ...names]);
  t.same(text(['ipv6'], []), [...ipv6, ...names]);
  t.same(text(['ipv6', 'ipv4'], []), [...ipv6, ...ipv4, 'ExternalIP 54.1.2.3', ...names]);
  t.end();
});

await t.test('another address is the node’s if it is the kubelet’s --node-ip', (t) => {
  t.ok(text(['ipv4'], ['10.0.0.9']).includes('InternalIP 10.0.0.9'));
  t.notOk(text(['ipv4'], ['10.9.9.9']).includes('InternalIP 10.9.9.9'));
  t.end();
});

await t.test('in another spelling too', (t) => {
  t.ok(text(['ipv6'], ['2001:DB8:0:0:0:0:0:111']).includes('InternalIP 2001:db8::111'));
  t.end();
});

await t.test('both families for a kubelet that names both, else those of the configuration', (t) => {
  t.same(familiesOf(['ipv4'], { nodeIps: ['10.0.0.1', '2001:db8::1'] }), ['ipv4', 'ipv6']);
  t.same(familiesOf(['ipv6'], { nodeIps: ['10.0.0.1', '2001:db8::1'] }), ['ipv6', 'ipv4']);
  t.same(familiesOf(['ipv6', 'ipv4'], { nodeIps: ['10.0.0.1', '2001:db8::1'] }), ['ipv6', 'ipv4']);
  for (const nodeIps of [[], ['10.0.0.1'], ['2001:db8::1']]) t.same(familiesOf(['ipv4'], { nodeIps }), ['ipv4']);
  t.end();
});

await t.test('a terminated instance has hardly more than its id', (t) => {
  const over =
    '<item><instanceId>i-1</instanceId><instanceState><name>terminated</name></instanceState><dnsName/></item>';
  t.match(parseInstancePage(page(over))?.instances, [
    { state: 'terminated', interfaces: [], publicDnsName: undefined },
  ]);
  t.end();
});

await t.test('no list of interfaces, but an address', (t) => {
  const bare =
    '<item><instanceId>i-1</instanceId><instanceState><name>running</name></instanceState><privateIpAddress>10.0.0.7</privateIpAddress></item>';
  t.same(parseInstancePage(page(bare))?.instances[0]?.interfaces, [{ ipv4: ['10.0.0.7'], ipv6: [] }]);
  t.end();
});

await t.test('the next page', (t) => {
  t.equal(parseInstancePage(page('', '<nextToken>abc==</nextToken>'))?.nextToken, 'abc==');
  t.equal(parsed?.nextToken, undefined);
  t.end();
});

const others = [
  '<DescribeInstancesResponse/>',
  '<Response><Errors/></Response>',
  page('<item><instanceState><name>running</name></instanceState></item>'),
  page('<item><instanceId>i-1</instanceId></item>'),
  page(whole).slice(0, -30),
];
for (const other of others) {
  await t.test(`not an answer: ${other.slice(0, 40)}…`, (t) => {
    t.equal(parseInstancePage(other), undefined);
    t.end();
  });
}
