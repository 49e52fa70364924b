import t from 'tap';
import { isManagedByAgent, onlyMissingLabels } from '../../../ccm/node-controller/update-node.ts';
import type { Instance } from '../../../clouds/cloud.ts';
import { planNode } from '../../../lib/node/plan.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const instance: Instance = {
  providerId: 'aws:///us-west-2b/i-0a1b2c3d4e5f60718',
  type: 'p5.48xlarge',
  region: 'us-west-2',
  zone: 'us-west-2b',
  addresses: [{ type: 'InternalIP', address: '10.0.0.20' }],
  labels: { 'topology.k8s.aws/zone-id': 'usw2-az2', 'topology.k8s.aws/network-node-layer-1': 'nn-1' },
};

interface Changes {
  readonly labels?: Readonly<Record<string, string>>;
  readonly isMarked: boolean;
  readonly isNew: boolean;
}

function nodeWith({ labels = {}, isMarked, isNew }: Changes): Node {
  const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' } as const;
  return {
    metadata: {
      name: 'node-a',
      uid: 'u-1',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      annotations: isMarked ? { 'polycloud.dev/described-by-agent': 'aws' } : {},
    },
    spec: { providerID: instance.providerId, taints: isNew ? [taint] : [] },
    status: { addresses: [{ type: 'InternalIP', address: '10.9.9.9' }] },
  };
}

await t.test('left to its agent is what an agent described, and only where agents have a head start', (t) => {
  const [agents, nobody] = [{ agentHeadStartMs: 30_000 }, { agentHeadStartMs: 0 }];
  t.equal(isManagedByAgent(nodeWith({ isMarked: true, isNew: false }), agents), true);
  t.equal(isManagedByAgent(nodeWith({ isMarked: true, isNew: false }), nobody), false);
  t.equal(isManagedByAgent(nodeWith({ isMarked: false, isNew: false }), agents), false);
  t.equal(isManagedByAgent(nodeWith({ isMarked: true, isNew: true }), agents), false);
  t.end();
});

const ofAgent = {
  'node.kubernetes.io/instance-type': 'p4d.24xlarge',
  'topology.kubernetes.io/region': 'us-east-1',
  'topology.k8s.aws/zone-id': 'other',
};

await t.test('what only the cloud’s API knows is added, and nothing of the agent’s is touched', (t) => {
  const described = nodeWith({ labels: ofAgent, isMarked: true, isNew: false });
  t.strictSame(planNode(described, onlyMissingLabels(instance, described), {}), {
    kind: 'plan',
    plan: { rest: { labels: { 'topology.k8s.aws/network-node-layer-1': 'nn-1' } } },
  });
  const complete = nodeWith({ labels: { ...ofAgent, ...instance.labels }, isMarked: true, isNew: false });
  t.strictSame(planNode(complete, onlyMissingLabels(instance, complete), {}), { kind: 'plan', plan: {} });
  t.end();
});

await t.test('type and region are added where the metadata does not have them', (t) => {
  const described = nodeWith({ labels: instance.labels, isMarked: true, isNew: false });
  t.strictSame(planNode(described, onlyMissingLabels(instance, described), {}), {
    kind: 'plan',
    plan: {
      rest: {
        labels: {
          'node.kubernetes.io/instance-type': 'p5.48xlarge',
          'beta.kubernetes.io/instance-type': 'p5.48xlarge',
          'topology.kubernetes.io/region': 'us-west-2',
          'failure-domain.beta.kubernetes.io/region': 'us-west-2',
        },
      },
    },
  });
  t.end();
});
