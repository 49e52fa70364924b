import t from 'tap';
import { addressesPatch, planNode, restPatch } from '../../../lib/node/plan.ts';
import type { Instance } from '../../../clouds/cloud.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const instance: Instance = {
  providerId: 'aws:///us-west-2b/i-0a1b2c3d4e5f60718',
  type: 'm7g.large',
  region: 'us-west-2',
  zone: 'us-west-2b',
  addresses: [{ type: 'InternalIP', address: '10.0.0.20' }],
  labels: { 'topology.k8s.aws/zone-id': 'usw2-az2' },
};

const instanceLabels = {
  'node.kubernetes.io/instance-type': 'm7g.large',
  'beta.kubernetes.io/instance-type': 'm7g.large',
  'topology.kubernetes.io/zone': 'us-west-2b',
  'failure-domain.beta.kubernetes.io/zone': 'us-west-2b',
  'topology.kubernetes.io/region': 'us-west-2',
  'failure-domain.beta.kubernetes.io/region': 'us-west-2',
  'topology.k8s.aws/zone-id': 'usw2-az2',
};

const uninitialized = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
} as const;
const other = { key: 'example.com/busy', effect: 'NoSchedule' } as const;

interface Change {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
  readonly addresses?: Instance['addresses'];
}

function node({ labels, annotations, spec, addresses }: Change): Node {
  return {
    metadata: {
      name: 'node-a',
      uid: 'u-1',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: { ...spec },
    status: { ...(addresses && { addresses }) },
  };
}

await t.test('a new node: addresses, and then labels, providerID and the taint at once', async (t) => {
  const planned = planNode(node({ spec: { taints: [uninitialized, other] } }), instance, {});
  t.strictSame(planned, {
    kind: 'plan',
    plan: {
      addresses: instance.addresses,
      rest: { labels: instanceLabels, providerId: instance.providerId, taints: [other] },
    },
  });
});

await t.test('nothing to write for a node that is in sync', async (t) => {
  const spec = { providerID: instance.providerId, taints: [other] };
  const labels = { ...instanceLabels, 'example.com/mine': 'kept' };
  t.strictSame(planNode(node({ spec, labels, addresses: instance.addresses }), instance, {}), {
    kind: 'plan',
    plan: {},
  });
});

await t.test('a label that was removed or changed is repaired, and only that one is written', async (t) => {
  const spec = { providerID: instance.providerId };
  const labels = { ...instanceLabels, 'topology.kubernetes.io/zone': 'us-west-2a' };
  const planned = planNode(node({ spec, labels, addresses: instance.addresses }), instance, {});
  t.strictSame(planned, {
    kind: 'plan',
    plan: { rest: { labels: { 'topology.kubernetes.io/zone': 'us-west-2b' } } },
  });
});

await t.test('an existing providerID is never changed', async (t) => {
  const spec = { providerID: 'aws:////i-0a1b2c3d4e5f60718' };
  const planned = planNode(node({ spec, labels: instanceLabels, addresses: instance.addresses }), instance, {});
  t.strictSame(planned, { kind: 'plan', plan: {} });
});

await t.test("a cloud's label may not use Kubernetes' keys, nor a value that the API server refuses", async (t) => {
  const labels = {
    'node.kubernetes.io/instance-type': 'lie',
    'topology.k8s.aws/rack': 'not a value!',
    'a.example/b': 'c',
  };
  const planned = planNode(node({ spec: {} }), { ...instance, labels }, {});
  t.match(planned, {
    plan: { rest: { labels: { 'node.kubernetes.io/instance-type': 'm7g.large', 'a.example/b': 'c' } } },
  });
  t.notMatch(planned, { plan: { rest: { labels: { 'topology.k8s.aws/rack': String } } } });
});

await t.test(
  'a node IP that is not found: nothing is written, the taint stays, and the reason is reported',
  async (t) => {
    const annotations = { 'alpha.kubernetes.io/provided-node-ip': '10.7.7.7' };
    const planned = planNode(node({ annotations, spec: { taints: [uninitialized] } }), instance, {});
    t.match(planned, {
      kind: 'refused',
      reason: 'ProvidedNodeIPNotFound',
      message: /--node-ip 10\.7\.7\.7 is not an address of/,
    });
  },
);

await t.test('a node IP that may be an external address that could not be read is not called wrong', async (t) => {
  const annotations = { 'alpha.kubernetes.io/provided-node-ip': '192.0.2.7' };
  const current = node({ annotations, spec: { taints: [uninitialized] } });
  const planned = planNode(current, { ...instance, unread: ['external-addresses'] }, {});
  t.match(planned, { kind: 'refused', reason: 'ProvidedNodeIPNotFound', message: /external addresses.* not be read/ });
  t.notMatch(planned, { message: /correct the flag/ });
});

await t.test('each patch is for the version that it was planned for', async (t) => {
  t.strictSame(addressesPatch(node({}), instance.addresses), {
    metadata: { resourceVersion: '7' },
    status: { addresses: instance.addresses },
  });
  t.strictSame(restPatch('8', { labels: { a: 'b' }, providerId: 'x', taints: [] }), {
    metadata: { resourceVersion: '8', labels: { a: 'b' } },
    spec: { providerID: 'x', taints: [] },
  });
  t.strictSame(restPatch('8', { labels: { a: 'b' } }), { metadata: { resourceVersion: '8', labels: { a: 'b' } } });
});

await t.test('annotations of the writer are written once, with the rest', (t) => {
  const spec = { providerID: instance.providerId };
  const { addresses } = instance;
  const marks = { 'example.com/by': 'a' };
  t.strictSame(planNode(node({ spec, labels: instanceLabels, addresses }), instance, marks), {
    kind: 'plan',
    plan: { rest: { annotations: marks } },
  });
  t.strictSame(restPatch('8', { annotations: marks }), { metadata: { resourceVersion: '8', annotations: marks } });
  const annotations = { ...marks, 'example.com/other': 'b' };
  t.strictSame(planNode(node({ spec, labels: instanceLabels, addresses, annotations }), instance, marks), {
    kind: 'plan',
    plan: {},
  });
  t.end();
});

await t.test('parts of the instance that could not be read are neither removed nor changed', async (t) => {
  const spec = { providerID: instance.providerId };
  const addresses = [...instance.addresses, { type: 'ExternalIP', address: '192.0.2.7' }] as const;
  const labels = { ...instanceLabels, 'topology.k8s.aws/zone-id': 'as-it-was' };
  const current = node({ spec, labels, addresses });
  const nothing = { kind: 'plan', plan: {} };
  t.strictSame(planNode(current, { ...instance, unread: ['external-addresses', 'labels'] }, {}), nothing);
  t.match(planNode(current, { ...instance, unread: ['labels'] }, {}), { plan: { addresses: instance.addresses } });
  t.match(planNode(current, { ...instance, unread: ['external-addresses'] }, {}), {
    plan: { rest: { labels: { 'topology.k8s.aws/zone-id': 'usw2-az2' } } },
  });
});

await t.test('the immutable id of the instance is an annotation', async (t) => {
  const rest = { annotations: { 'polycloud.dev/instance-id': '17' } };
  const current = { spec: { providerID: instance.providerId }, labels: instanceLabels, addresses: instance.addresses };
  const withId = { ...instance, instanceId: '17' };
  t.strictSame(planNode(node(current), withId, {}), { kind: 'plan', plan: { rest } });
  t.strictSame(planNode(node({ ...current, ...rest }), withId, {}), { kind: 'plan', plan: {} });
});
