import t from 'tap';
import { dryRunWriter } from '../../../lib/node/dry-run-writer.ts';
import { makeTrue } from '../../../lib/node/make-true.ts';
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
const addressesPlan = ['set addresses InternalIP=10.0.0.1'];
const restPlan = [
  'set label topology.kubernetes.io/zone=us-west-2a',
  'set label failure-domain.beta.kubernetes.io/zone=us-west-2a',
  'set providerID aws:///us-west-2a/i-1',
  'remove taint node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule',
];

await t.test('a plan is said once, and again when it is another one', async (t) => {
  const said: (readonly [string, readonly string[]])[] = [];
  const writer = dryRunWriter({ read: () => Promise.resolve(node) }, (of, changes) => {
    said.push([of.metadata.name, changes]);
  });
  t.match(await makeTrue(node, instance, {}, writer), { kind: 'true', node });
  t.strictSame(said, [
    ['a', addressesPlan],
    ['a', restPlan],
  ]);
  await makeTrue(node, instance, {}, writer);
  t.equal(said.length, 2, 'the same plan is not said again');
  await makeTrue(node, { ...instance, addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] }, {}, writer);
  t.strictSame(said.slice(2), [['a', ['set addresses InternalIP=10.0.0.2']]]);
});

await t.test('another Node of the same name has plans of its own', async (t) => {
  let live = node;
  let said = 0;
  const writer = dryRunWriter({ read: () => Promise.resolve(live) }, () => (said += 1));
  await makeTrue(live, instance, {}, writer);
  live = { ...node, metadata: { ...node.metadata, uid: 'u-2' } };
  await makeTrue(live, instance, {}, writer);
  t.equal(said, 4);
});

await t.test('a Node that is gone is not planned for', async (t) => {
  const writer = dryRunWriter({ read: () => Promise.resolve(undefined) }, () => t.fail('nothing to say'));
  t.strictSame(await makeTrue(node, instance, {}, writer), { kind: 'replaced' });
});
