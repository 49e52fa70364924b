import t from 'tap';
import { parseMetadata, readMacs } from '../../../../clouds/aws/metadata/parse.ts';
import type { InterfaceTexts, AwsMetadataTexts } from '../../../../clouds/aws/metadata/parse.ts';

/** The values of AWS's own mock: amazon-ec2-metadata-mock, pkg/config/defaults/aemm-metadata-default-values.json. */
const recorded: AwsMetadataTexts = {
  instanceId: 'i-1234567890abcdef0',
  type: 'm4.xlarge',
  zone: 'us-east-1a',
  zoneId: 'use1-az4',
  localHostname: 'ip-172-16-34-43.ec2.internal',
  publicHostname: 'ec2-192-0-2-54.compute-1.amazonaws.com',
  publicIp: '192.0.2.54',
  interfaces: [{ device: '0', card: undefined, ipv4: '172.16.34.43', ipv6: '2001:db8:8:4::2' }],
};

await t.test('the metadata of an instance', (t) => {
  t.strictSame(parseMetadata(recorded), {
    instanceId: 'i-1234567890abcdef0',
    type: 'm4.xlarge',
    zone: 'us-east-1a',
    zoneId: 'use1-az4',
    privateDnsName: 'ip-172-16-34-43.ec2.internal',
    publicDnsName: 'ec2-192-0-2-54.compute-1.amazonaws.com',
    publicIp: '192.0.2.54',
    interfaces: [{ ipv4: ['172.16.34.43'], ipv6: ['2001:db8:8:4::2'] }],
  });
  t.end();
});

await t.test('what it has nothing of', (t) => {
  const absent = { zoneId: undefined, localHostname: undefined, publicHostname: '', publicIp: undefined };
  const { zoneId, privateDnsName, publicDnsName, publicIp } = parseMetadata({ ...recorded, ...absent });
  t.strictSame([zoneId, privateDnsName, publicDnsName, publicIp], [undefined, undefined, undefined, undefined]);
  t.end();
});

await t.test('interfaces go by card and device, and one that is just being taken away is left out', (t) => {
  const each = { card: undefined, ipv6: undefined };
  const { interfaces } = parseMetadata({
    ...recorded,
    interfaces: [
      { ...each, device: '1', card: '1', ipv4: '10.0.0.5' },
      { ...each, device: '10', ipv4: '10.0.0.3' },
      { ...each, device: undefined, ipv4: undefined },
      { ...each, device: '2', card: '0', ipv4: '10.0.0.2\n10.0.0.20' },
      { ...each, device: '0', ipv4: '10.0.0.1' },
    ],
  });
  t.strictSame(
    interfaces.map(({ ipv4 }) => ipv4),
    [['10.0.0.1'], ['10.0.0.2', '10.0.0.20'], ['10.0.0.3'], ['10.0.0.5']],
  );
  t.end();
});

const names: readonly (readonly [zone: string, localHostname: string, expected: string | undefined])[] = [
  ['us-west-2b', 'ip-10-0-0-20.us-west-2.compute.internal', 'ip-10-0-0-20.us-west-2.compute.internal'],
  ['us-west-2b', 'ip-10-0-0-20.corp.example', 'ip-10-0-0-20.us-west-2.compute.internal'],
  ['us-west-2b', 'ip-10-0-0-20.one.example two.example', 'ip-10-0-0-20.us-west-2.compute.internal'],
  ['us-west-2b', 'ip-10-0-0-20', 'ip-10-0-0-20.us-west-2.compute.internal'],
  ['us-west-2-lax-1a', 'i-1234567890abcdef0.x', 'i-1234567890abcdef0.us-west-2.compute.internal'],
  ['us-east-1a', 'i-1234567890abcdef0.ec2.internal', 'i-1234567890abcdef0.ec2.internal'],
  ['cn-north-1a', 'ip-10-0-0-20.x', 'ip-10-0-0-20.cn-north-1.compute.internal'],
  ['us-west-2b', 'db-1.corp.example', undefined],
  ['us-west-2b', '<html>', undefined],
];
for (const [zone, localHostname, expected] of names) {
  await t.test(`in ${zone} the host ${localHostname} is ${expected ?? 'nobody of EC2'}`, (t) => {
    t.equal(parseMetadata({ ...recorded, zone, localHostname }).privateDnsName, expected);
    t.end();
  });
}

const page = '<?xml version="1.0"?><html></html>';
const usual: InterfaceTexts = { device: '0', card: undefined, ipv4: '172.16.34.43', ipv6: '2001:db8:8:4::2' };
const wrong: readonly (readonly [what: RegExp, texts: Partial<AwsMetadataTexts>])[] = [
  [/does not return the instance id/, { instanceId: undefined }],
  [/invalid value for the instance id/, { instanceId: page }],
  [/does not return the instance type/, { type: undefined }],
  [/invalid value for the instance type/, { type: 'large' }],
  [/does not return the availability zone/, { zone: undefined }],
  [/invalid value for the availability zone/, { zone: 'moon-1a' }],
  // No value of a label in Kubernetes.
  [/invalid value for the instance type/, { type: `m7g.${'x'.repeat(60)}` }],
  [/invalid value for the instance type/, { type: 'm7g.large-' }],
  [/invalid value for the availability zone/, { zone: `us-${'x'.repeat(60)}-1a` }],
  [/invalid value for the availability zone/, { zone: 'us-west-2-lax-' }],
  [/invalid value for the zone id/, { zoneId: 'usw2-' }],
  [/invalid value for the zone id/, { zoneId: page }],
  [/invalid value for the public host name/, { publicHostname: 'a b' }],
  [/invalid value for the public address/, { publicIp: '192.0.2' }],
  [/invalid value for the device number/, { interfaces: [{ ...usual, device: 'eth0' }] }],
  [/invalid value for the network card/, { interfaces: [{ ...usual, card: page }] }],
  [/invalid value for the addresses/, { interfaces: [{ ...usual, ipv4: '10.0.0.1\n<html>' }] }],
  [/invalid value for the addresses/, { interfaces: [{ ...usual, ipv6: '10.0.0.1' }] }],
];
for (const [message, texts] of wrong) {
  await t.test(`refused, and not repeated: ${message.source}`, (t) => {
    const says = { name: 'Failure', kind: 'invalid-response', message };
    t.throws(() => parseMetadata({ ...recorded, ...texts }), says);
    t.notMatch(
      messageOf(() => parseMetadata({ ...recorded, ...texts })),
      page,
    );
    t.end();
  });
}

await t.test('the list of interfaces', (t) => {
  t.strictSame(readMacs('0e:49:61:0f:c3:11/'), ['0e:49:61:0f:c3:11']);
  t.strictSame(readMacs('06:00:00:00:00:02/\n06:00:00:00:00:01'), ['06:00:00:00:00:02', '06:00:00:00:00:01']);
  for (const text of [undefined, '', page, '06:00:00:00:00:02/\n../../api/token']) {
    t.throws(() => readMacs(text), { kind: 'invalid-response', message: /list of network interfaces/ });
  }
  t.end();
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return '';
}
