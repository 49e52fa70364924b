import t from 'tap';
import { factsOf } from '../../../lib/node/facts.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const node: Node = {
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { providerID: '' },
  status: { addresses: [{ type: 'InternalIP', address: '10.0.0.9' }], nodeInfo: { systemUUID: '' } },
};

await t.test('an empty providerID or system UUID counts as absent', (t) => {
  t.strictSame(factsOf(node), { uid: 'u', name: 'a', mayBeGone: true, nodeIps: [], labels: {} });
  t.end();
});

await t.test('addresses on the Node are not taken for the --node-ip: they would stay for ever', (t) => {
  const annotations = { 'alpha.kubernetes.io/provided-node-ip': '10.0.0.7, fd00::7' };
  t.strictSame(factsOf(node).nodeIps, []);
  t.strictSame(factsOf({ ...node, metadata: { ...node.metadata, annotations } }).nodeIps, ['10.0.0.7', 'fd00::7']);
  t.end();
});

await t.test('an instance may be gone if its Node was initialised and is not Ready', (t) => {
  const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' } as const;
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] } as const;
  t.equal(factsOf(node).mayBeGone, true);
  t.equal(factsOf({ ...node, spec: { taints: [taint] } }).mayBeGone, undefined);
  t.equal(factsOf({ ...node, status: ready }).mayBeGone, undefined);
  t.end();
});
