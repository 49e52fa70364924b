import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import t from 'tap';
import type { LabResponse } from '../cloud.ts';
import { ec2 } from './ec2.ts';
import { fleetOf } from './ec2-fleet.ts';
import type { Ec2Instance } from './ec2-instance.ts';
import { initialAwsState, labUserKey } from './state.ts';

const fleet = { region: 'us-west-2', zoneLetters: ['a', 'b'], accountId: '123456789012', launchedAtMs: 0, number: 0 };
const [ordinary, stopped, accelerated] = Object.values(fleetOf({ ...fleet, count: 3 })) as [
  Ec2Instance,
  Ec2Instance,
  Ec2Instance,
];
const gpu = 'p5.48xlarge';
const instances = {
  [ordinary.instanceId]: { ...ordinary, tags: { 'kubernetes.io/cluster/lab': 'owned' } },
  [stopped.instanceId]: { ...stopped, instanceType: gpu, state: 'stopped' as const },
  [accelerated.instanceId]: { ...accelerated, instanceType: gpu },
  elsewhere: { ...ordinary, region: 'eu-west-1', zone: 'eu-west-1a', zoneId: 'euw1-az1' },
};

async function ask(input: Record<string, string>, permissions: readonly string[]): Promise<LabResponse> {
  const users = { 'lab-user': { id: 'A', permissions } };
  const [nowMs, region, host] = [Date.now(), 'us-west-2', 'ec2.us-west-2.amazonaws.com'];
  const body = new URLSearchParams({ Version: '2016-11-15', ...input }).toString();
  const signer = new SignatureV4({ credentials: labUserKey, region, service: 'ec2', sha256: Sha256 });
  const request = { method: 'POST', protocol: 'https:', hostname: host, path: '/', body };
  const { headers } = await signer.sign({ ...request, headers: { host } }, { signingDate: new Date(nowMs) });
  const asked = { service: 'ec2', host, method: 'POST', path: '/', headers, body };
  return ec2.respond(asked, { ...initialAwsState(), users, ec2Instances: instances }, { nowMs, expiry: 'usual' });
}

function textsOf({ body }: LabResponse, name: string): readonly string[] {
  return [...body.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);
}

await t.test('the zones of the region', async (t) => {
  const answer = await ask({ Action: 'DescribeAvailabilityZones' }, ['ec2:DescribeAvailabilityZones']);
  t.strictSame(textsOf(answer, 'zoneName'), ['us-west-2a', 'us-west-2b']);
  t.strictSame(textsOf(answer, 'zoneId'), [ordinary.zoneId, stopped.zoneId]);
  t.strictSame(textsOf(answer, 'zoneType'), ['availability-zone', 'availability-zone']);
});

await t.test('what narrows the question is refused, not left unheard', async (t) => {
  const input = { Action: 'DescribeAvailabilityZones', 'ZoneName.1': 'us-west-2a' };
  t.match(await ask(input, ['ec2:DescribeAvailabilityZones']), { status: 400, body: /UnknownParameter/ });
});

await t.test('the topology of what runs and has one', async (t) => {
  const ids = Object.fromEntries(
    [ordinary, stopped, accelerated].map(({ instanceId }, index) => [`InstanceId.${index + 1}`, instanceId]),
  );
  const answer = await ask({ Action: 'DescribeInstanceTopology', ...ids }, ['ec2:DescribeInstanceTopology']);
  t.strictSame(textsOf(answer, 'instanceId'), [accelerated.instanceId]);
  const rack = `${accelerated.zoneId}-${accelerated.instanceId.slice(-3, -2)}`;
  t.match(answer.body, `<networkNodeSet><item>nn-${accelerated.zoneId}</item><item>nn-${rack}</item><item>nn-${rack}`);
});

const refused: readonly (readonly [string, Record<string, string>])[] = [
  ['InvalidInstanceID.NotFound', { 'InstanceId.1': 'i-00000000000000aaa' }],
  ['InvalidParameterValue', {}],
  [
    'InvalidParameterValue',
    Object.fromEntries(
      Array.from({ length: 101 }, (_each, index) => [`InstanceId.${String(index + 1)}`, ordinary.instanceId]),
    ),
  ],
];
for (const [code, input] of refused) {
  await t.test(`no topology: ${code} for ${String(Object.keys(input).length)} ids`, async (t) => {
    const answer = await ask({ Action: 'DescribeInstanceTopology', ...input }, ['ec2:DescribeInstanceTopology']);
    t.match(answer, { status: 400, body: new RegExp(code.replace('.', String.raw`\.`)) });
  });
}

await t.test('each operation needs its own permission', async (t) => {
  for (const Action of ['DescribeAvailabilityZones', 'DescribeInstanceTopology']) {
    t.match(await ask({ Action }, ['ec2:DescribeInstances']), {
      status: 403,
      body: new RegExp(`ec2:${Action} because`),
    });
  }
});

await t.test('the instances with a tag, whatever its value', async (t) => {
  const input = { Action: 'DescribeInstances', 'Filter.1.Name': 'tag-key' };
  const named = await ask({ ...input, 'Filter.1.Value.1': 'kubernetes.io/cluster/lab' }, ['ec2:DescribeInstances']);
  t.strictSame(textsOf(named, 'instanceId'), [ordinary.instanceId]);
  const byPattern = await ask({ ...input, 'Filter.1.Value.1': 'kubernetes.io/*' }, ['ec2:DescribeInstances']);
  t.strictSame(textsOf(byPattern, 'instanceId'), [ordinary.instanceId]);
  t.strictSame(textsOf(await ask({ ...input, 'Filter.1.Value.1': 'x' }, ['ec2:DescribeInstances']), 'instanceId'), []);
});
