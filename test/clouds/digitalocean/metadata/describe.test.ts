import t from 'tap';
import type { FailureKind } from '../../../../lib/failure.ts';
import { labDroplet } from '../../../lab/clouds/digitalocean/state.ts';
import type { LabDroplet } from '../../../lab/clouds/digitalocean/state.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { lookUp, nodeOf, startDigitaloceanLab, vpcLabels } from '../digitalocean-lab.ts';

const { lab, cloud, describe, instances, context, logLines, requestLines } = await startDigitaloceanLab(t);

const shapes: Readonly<Record<string, Partial<LabDroplet>>> = {
  'with a public address': {},
  'without a public address': { publicIpv4: null },
  'with an IPv6 address': { publicIpv6: '2001:db8::11' },
  'with an id beyond 32 bits': { id: 987_654_321_012 },
};
for (const [name, changed] of Object.entries(shapes)) {
  await t.test(
    `a Droplet ${name} is the same by its own metadata and by the API, but for its size and its VPC network`,
    async (t) => {
      const droplet = { ...labDroplet, ...changed };
      await lab.update({ droplets: { [droplet.id]: droplet }, metadata: { dropletId: String(droplet.id) } });
      const [result] = await lookUp(instances(), [nodeOf(droplet)], context());
      if (result?.status !== 'running') throw new Error(`the API does not show it: ${JSON.stringify(result)}`);
      const { type, labels, ...others } = result.instance;
      t.equal(type, droplet.size);
      t.strictSame(labels, vpcLabels);
      t.strictSame(await describe(), { ...others, labels: {} });
    },
  );
}

await t.test('one request, and nothing of the document is logged', async (t) => {
  await describe();
  t.strictSame(await requestLines(), ['GET /metadata/v1.json']);
  t.notMatch(logLines.join('\n'), /cloud-config/);
});

await t.test('a Droplet without a private address is no Node', async (t) => {
  await lab.update({ droplets: { [labDroplet.id]: { ...labDroplet, privateIpv4: null } } });
  await t.rejects(describe(), { kind: 'misconfigured', message: /has no private IPv4 address$/ });
});

const wrong = [
  '<html>',
  '{}',
  '{"droplet_id":"1","region":"nyc3","interfaces":{}}',
  '{"droplet_id":1.5,"region":"nyc3","interfaces":{}}',
  '{"droplet_id":1,"region":"New York","interfaces":{"private":[{"ipv4":{"ip_address":"10.0.0.1"}}]}}',
  '{"droplet_id":1,"region":"nyc3","interfaces":{"private":[{"ipv4":{"ip_address":"10.0.0"}}]}}',
  '{"droplet_id":1,"region":"nyc3","interfaces":{"private":[{"ipv4":{"ip_address":"fd00::1"}}]}}',
];
for (const document of wrong) {
  await t.test(`${document}: nothing of it reaches a Node`, async (t) => {
    await lab.update({ metadata: { document } });
    await t.rejects(describe(), { name: 'Failure', kind: 'invalid-response', remedy: /./ });
  });
}

const faults: Readonly<Record<string, { readonly fault: Fault; readonly kind: FailureKind }>> = {
  'a closed port': { fault: { service: 'metadata', kind: 'refuse' }, kind: 'unavailable' },
  'errors of the server': { fault: { service: 'metadata', kind: 'status', status: 503 }, kind: 'unavailable' },
  throttling: { fault: { service: 'metadata', kind: 'throttle' }, kind: 'throttled' },
  'a TCP reset': { fault: { service: 'metadata', kind: 'reset' }, kind: 'unavailable' },
  'half a response': { fault: { service: 'metadata', kind: 'cut-off' }, kind: 'unavailable' },
  'no such document': { fault: { service: 'metadata', kind: 'status', status: 404 }, kind: 'not-found' },
  'an empty response': { fault: { service: 'metadata', kind: 'empty' }, kind: 'invalid-response' },
};
for (const [name, { fault, kind }] of Object.entries(faults)) {
  await t.test(`${name}: a failure with a hint; afterwards all is as before`, async (t) => {
    await lab.addFault(fault);
    await t.rejects(describe(), { name: 'Failure', kind, remedy: /./ });
    await lab.clearFaults();
    t.match(await describe(), { providerId: `digitalocean://${labDroplet.id}` });
  });
}

for (const kind of ['throttle', 'reset'] as const) {
  await t.test(`${kind} for a moment is waited for`, async (t) => {
    await lab.addFault({ service: 'metadata', kind, count: 3 });
    t.match(await describe(), { region: 'nyc3' });
  });
}

const machines: ReadonlyArray<
  readonly [what: string, vendor: string | undefined, fault: Fault | undefined, expected: string]
> = [
  ['the firmware of DigitalOcean, and no response', 'DigitalOcean\n', { service: 'metadata', kind: 'refuse' }, 'yes'],
  ['no firmware text, and a response', undefined, undefined, 'yes'],
  ['no firmware text, and no response', undefined, { service: 'metadata', kind: 'refuse' }, 'unknown'],
  [
    'no firmware text, and the service of AWS',
    undefined,
    { service: 'metadata', kind: 'status', status: 401 },
    'unknown',
  ],
  ['another vendor, and no response', 'Google\n', { service: 'metadata', kind: 'refuse' }, 'no'],
  ['another vendor, and another service', 'OpenStack Foundation\n', { service: 'metadata', kind: 'garbage' }, 'no'],
];
for (const [what, vendor, fault, expected] of machines) {
  await t.test(`${what}: ${expected}`, async (t) => {
    if (fault !== undefined) await lab.addFault(fault);
    const files = vendor === undefined ? {} : { '/sys/class/dmi/id/sys_vendor': vendor };
    t.equal(await cloud({ files }).metadata?.detect(context()), expected);
  });
}
