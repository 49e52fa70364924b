import t from 'tap';
import { formatProviderId, parseProviderId, regionOfZone } from '../../../clouds/aws/provider-id.ts';

const id = 'i-0123456789abcdef0';
const instance = (zone: string | undefined): object => ({ is: 'instance', instanceId: id, zone });
const rows: readonly (readonly [text: string, expected: object])[] = [
  [`aws:///us-west-2a/${id}`, instance('us-west-2a')],
  [`aws:///us-west-2-lax-1a/${id}`, instance('us-west-2-lax-1a')],
  [`aws:////${id}`, instance(undefined)],
  [`aws:///${id}`, instance(undefined)],
  [id, instance(undefined)],
  ['i-12345678', { is: 'instance', instanceId: 'i-12345678' }],
  ['aws:///us-west-2a/i-broken', { is: 'instance', instanceId: 'i-broken' }],
  ['aws:///us-west-2a/fargate-10.0.0.1', { is: 'foreign' }],
  ['aws:///us-west-2a/0a1b2c3d4e-55aa/fargate-ip-10-0-0-1.us-west-2.compute.internal', { is: 'foreign' }],
  ['eks-hybrid:///us-west-2/cluster/node', { is: 'foreign' }],
  ['azure:///subscriptions/1', { is: 'foreign' }],
  ['gce://project/zone/name', { is: 'foreign' }],
  ['static://metal-1', { is: 'foreign' }],
  ['metal-1', { is: 'foreign' }],
  ['', { is: 'foreign' }],
  ['i-', { is: 'foreign' }],
  ['cn-hangzhou.i-bp1234567890', { is: 'foreign' }],
  ['awsx:///us-west-2a/i-0123456789abcdef0', { is: 'foreign' }],
  ['aws://', { is: 'unreadable' }],
  ['aws:///us-west-2a/', { is: 'unreadable' }],
  ['aws:///us-west-2a/web-1', { is: 'unreadable' }],
  [`aws://us-west-2a/${id}`, { is: 'unreadable' }],
  [`aws:///us-west-2a/${id}/more`, { is: 'unreadable' }],
  [`aws:///us-west-2a/${id}\n`, { is: 'unreadable' }],
  [`aws:///us-west-2a/${id} i-1`, { is: 'unreadable' }],
  [`aws:///a/b/c/d/${id}`, { is: 'unreadable' }],
  [`aws:///us-west-2a/i-${'a'.repeat(100)}`, { is: 'unreadable' }],
];

for (const [text, expected] of rows) {
  await t.test(JSON.stringify(text), (t) => {
    t.match(parseProviderId(text), expected);
    t.end();
  });
}

await t.test('what is written can be read', (t) => {
  for (const zone of ['us-west-2a', undefined]) t.same(parseProviderId(formatProviderId(id, zone)), instance(zone));
  t.end();
});

const zones: readonly (readonly [zone: string, region: string | undefined])[] = [
  ['us-west-2a', 'us-west-2'],
  ['us-west-2-lax-1a', 'us-west-2'],
  ['us-east-1-bos-1a', 'us-east-1'],
  ['us-west-2-wl1-las-wlz-1', 'us-west-2'],
  ['us-east-1-wl1-bos-wlz-1', 'us-east-1'],
  ['ap-southeast-10b', 'ap-southeast-10'],
  ['us-gov-west-1b', 'us-gov-west-1'],
  ['us-iso-east-1a', 'us-iso-east-1'],
  ['us-isob-east-1a', 'us-isob-east-1'],
  ['eu-isoe-west-1a', 'eu-isoe-west-1'],
  ['eusc-de-east-1a', 'eusc-de-east-1'],
  ['cn-north-1a', 'cn-north-1'],
  ['us-west-2', 'us-west-2'],
  ['us-west-', undefined],
  ['usw2-az1', undefined],
  ['rack-7', undefined],
  ['', undefined],
  ['us-west-2ab', undefined],
  ['us-west-2a/../', undefined],
];
for (const [zone, region] of zones) {
  await t.test(`zone ${zone} is in ${region ?? 'no region'}`, (t) => {
    t.equal(regionOfZone(zone), region);
    t.end();
  });
}
