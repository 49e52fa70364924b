import t from 'tap';
import { dryRunWriter } from '../../../lib/node/dry-run-writer.ts';
import { reconcileNode } from '../../../lib/node/reconcile-node.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const uninitialized = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
} as const;
const node: Node = {
  metadata: { name: 'a', uid: 'u-1', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { taints: [uninitialized] },
  status: {},
};
const instance = {
  providerId: 'aws:///us-west-2a/i-1',
  zone: 'us-west-2a',
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  labels: {},
} as const;

await t.test('a dry run plans what would be written, addresses first, and writes nothing', async (t) => {
  const writer = dryRunWriter({ read: () => Promise.resolve(node) });
  t.strictSame(await reconcileNode(node, instance, {}, writer), {
    kind: 'planned',
    changes: [
      'set addresses InternalIP=10.0.0.1',
      'set label topology.kubernetes.io/zone=us-west-2a',
      'set label failure-domain.beta.kubernetes.io/zone=us-west-2a',
      'set providerID aws:///us-west-2a/i-1',
      'remove taint node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule',
    ],
  });
});

await t.test('without anything to write a dry run has the usual result', async (t) => {
  const writer = dryRunWriter({ read: () => Promise.resolve(node) });
  const bare = { ...node, spec: { providerID: 'aws:///us-west-2a/i-1' } };
  const made = await reconcileNode(
    bare,
    { providerId: 'aws:///us-west-2a/i-1', addresses: [], labels: {} },
    {},
    writer,
  );
  t.strictSame(made, { kind: 'synced', node: bare, writes: 0, changes: [] });
});
