import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { describeInstance } from '../../../../clouds/gcp/metadata/describe.ts';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { sameAddress } from '../../../../lib/node/addresses.ts';
import type { Failure, FailureKind } from '../../../../lib/failure.ts';
import type { HttpRequest, HttpResponse } from '../../../../lib/http/http.ts';
import { keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import { metadataStateOf } from '../../../lab/clouds/gcp/compute-metadata.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { lookUp, nodeOf, startComputeLab } from '../compute-lab.ts';

const { lab, instances: create, describe, context } = await startComputeLab(t);
t.beforeEach(() => lab.reset());

const plain: ComputeInstance = {
  project: 'lab-project',
  zone: 'us-central1-a',
  name: 'lab-node-1',
  // No double can hold it: as a number it would end with 582000.
  id: '4520031799277581759',
  machineType: 'e2-standard-4',
  status: 'RUNNING',
  interfaces: [{ ip: '10.0.0.30' }],
};
const dual = { ip: '10.0.0.30', ipv6: 'fd20::30', externalIp: '192.0.2.30' };

interface Shape {
  readonly changed?: Partial<ComputeInstance>;
  readonly node?: Partial<NodeFacts>;
}

const shapes: Readonly<Record<string, Shape>> = {
  'with one address': {},
  'with a public address': { changed: { interfaces: [{ ip: '10.0.0.30', externalIp: '192.0.2.30' }] } },
  'with a public address that it has lost': { changed: { interfaces: [{ ip: '10.0.0.30', externalIp: '' }] } },
  'dual-stack': { changed: { interfaces: [dual] } },
  'dual-stack with a public IPv6 address': {
    changed: { interfaces: [{ ip: '10.0.0.30', externalIpv6: '2001:db8::30' }] },
  },
  'of IPv6 only': { changed: { interfaces: [{ ipv6: 'fd20::30' }] } },
  'with several interfaces': { changed: { interfaces: [dual, { ip: '10.1.0.30', externalIp: '192.0.2.31' }] } },
  'with ranges for pods': { changed: { interfaces: [{ ip: '10.0.0.30', aliasRanges: ['10.8.0.0/24'] }] } },
  'whose kubelet uses an alias address': {
    changed: { interfaces: [{ ip: '10.0.0.30', aliasRanges: ['10.8.0.0/24', '10.9.0.9/32'] }] },
    node: { nodeIps: ['10.9.0.9'] },
  },
  'whose kubelet names both families': {
    changed: { interfaces: [dual] },
    node: { nodeIps: ['fd20:0::30', '10.0.0.30'] },
  },
  'in an AI zone': { changed: { zone: 'us-central1-ai1a' } },
  'of an old organisation': { changed: { project: 'example.com:lab-project' } },
  'of a custom machine type': { changed: { machineType: 'n2-custom-6-20480-ext' } },
};

for (const [name, { changed, node: facts }] of Object.entries(shapes)) {
  await t.test(`an instance ${name} is the same by its own metadata and by Compute Engine`, async (t) => {
    const instance = { ...plain, ...changed };
    await lab.update({
      computeInstances: { [keyOf(instance)]: instance },
      compute: { projects: [instance.project], zones: [instance.zone] },
      ...metadataStateOf(instance),
    });
    const node = { ...nodeOf(instance), ...facts };
    const [result] = await lookUp(create({}), [node], context());
    if (result?.status !== 'running') throw new Error(`Compute Engine does not show it: ${JSON.stringify(result)}`);
    const described = await describe(node);
    t.strictSame(described, result.instance);
    t.equal(described.instanceId, instance.id);
    const missing = node.nodeIps.filter(
      (nodeIp) => !described.addresses.some((each) => sameAddress(each.address, nodeIp)),
    );
    t.strictSame(missing, [], 'the addresses that the kubelet is configured with are among them');
  });
}

const interfacesPath = '/computeMetadata/v1/instance/network-interfaces/';
const flavored = { 'metadata-flavor': 'Google' };
const interfacesFault = { service: 'metadata', kind: 'status', pathPrefix: interfacesPath, headers: flavored } as const;

const faults: Readonly<Record<string, { readonly fault: Fault; readonly kinds: readonly FailureKind[] }>> = {
  'a closed port': { fault: { service: 'metadata', kind: 'refuse' }, kinds: ['unavailable'] },
  'errors of the server': { fault: { service: 'metadata', kind: 'status', status: 503 }, kinds: ['unavailable'] },
  throttling: { fault: { service: 'metadata', kind: 'throttle' }, kinds: ['throttled'] },
  'a TCP reset': { fault: { service: 'metadata', kind: 'reset' }, kinds: ['unavailable'] },
  'half a response': { fault: { service: 'metadata', kind: 'cut-off' }, kinds: ['unavailable', 'misconfigured'] },
  'a response of another server': { fault: { service: 'metadata', kind: 'garbage' }, kinds: ['misconfigured'] },
  'an empty response of another server': { fault: { service: 'metadata', kind: 'empty' }, kinds: ['misconfigured'] },
  'a page in place of the interfaces': {
    fault: { ...interfacesFault, status: 200, body: '<html>' },
    kinds: ['invalid-response'],
  },
  'interfaces that are not there': { fault: { ...interfacesFault, status: 404 }, kinds: ['invalid-response'] },
};
for (const [name, { fault, kinds }] of Object.entries(faults)) {
  await t.test(`${name}: a failure with a hint, and no value; afterwards all is as before`, async (t) => {
    await lab.addFault(fault);
    const failure: unknown = await describe(nodeOf(plain)).catch((error: unknown) => error);
    t.match(failure, { name: 'Failure', remedy: /./ });
    t.ok(kinds.includes((failure as Failure).kind), (failure as Failure).message);
    await lab.clearFaults();
    t.match(await describe(nodeOf(plain)), { instanceId: plain.id });
  });
}

for (const kind of ['throttle', 'reset'] as const) {
  await t.test(`${kind} for a moment is waited for`, async (t) => {
    await lab.addFault({ service: 'metadata', kind, count: 3 });
    t.match(await describe(nodeOf(plain)), { instanceId: plain.id });
  });
}

await t.test('a slow server is waited for', async (t) => {
  await lab.addFault({ service: 'metadata', kind: 'delay', delayMs: 200 });
  t.match(await describe(nodeOf(plain)), { instanceId: plain.id });
});

await t.test('all is requested at once, so a start takes one round trip', async (t) => {
  const sent: string[] = [];
  const send = async ({ url }: HttpRequest): Promise<HttpResponse> => {
    sent.push(url.pathname);
    return new Promise(() => {});
  };
  const never = describeInstance(nodeOf(plain), {}, { ...context(), http: { send } });
  await Promise.race([never, nextTurn()]);
  t.equal(sent.length, 6);
});
