import t from 'tap';
import { findInvalidField } from '../../../lib/node/validate-node.ts';
import { trimNode } from '../../../lib/node/trim-node.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const metadata = { name: 'a', uid: 'u-1', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
const validNode = {
  metadata: { ...metadata, labels: { zone: 'b' }, annotations: {} },
  spec: { providerID: 'aws:///b/i-1', taints: [{ key: 'k', effect: 'NoSchedule' }] },
  status: {
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { systemUUID: 'x' },
  },
};

await t.test('a Node from the API server is valid', async (t) => {
  t.equal(findInvalidField(validNode), undefined);
  t.equal(findInvalidField({ metadata, spec: {}, status: {} }), undefined);
  t.equal(findInvalidField({ metadata }), undefined, 'empty parts may be left out');
  t.strictSame(trimNode({ metadata } as unknown as Node), { metadata, spec: {}, status: { conditions: [] } });
});

const invalidNodes: Readonly<Record<string, readonly [object, string]>> = {
  'no date of creation': [{ metadata: { ...metadata, creationTimestamp: 'soon' } }, 'metadata.creationTimestamp'],
  'an odd date of deletion': [{ metadata: { ...metadata, deletionTimestamp: 5 } }, 'metadata.deletionTimestamp'],
  'labels that are null': [{ metadata: { ...metadata, labels: null } }, 'metadata.labels'],
  'labels that are a list': [{ metadata: { ...metadata, labels: [] } }, 'metadata.labels'],
  'a label that is a number': [{ metadata: { ...metadata, labels: { zone: 5 } } }, 'metadata.labels'],
  'an annotation that is null': [{ metadata: { ...metadata, annotations: { a: null } } }, 'metadata.annotations'],
  'a spec that is text': [{ metadata, spec: 'x' }, 'spec'],
  'a providerID that is an object': [{ metadata, spec: { providerID: {} } }, 'spec.providerID'],
  'taints that are text': [{ metadata, spec: { taints: 'none' } }, 'spec.taints'],
  'a taint without a key': [{ metadata, spec: { taints: [{ effect: 'NoSchedule' }] } }, 'spec.taints'],
  'a taint that is null': [{ metadata, spec: { taints: [null] } }, 'spec.taints'],
  'a status that is a list': [{ metadata, status: [] }, 'status'],
  'addresses that are a map': [{ metadata, status: { addresses: {} } }, 'status.addresses'],
  'an address that is a number': [
    { metadata, status: { addresses: [{ type: 'InternalIP', address: 1 }] } },
    'status.addresses',
  ],
  'conditions that are true': [{ metadata, status: { conditions: true } }, 'status.conditions'],
  'a condition without a status': [{ metadata, status: { conditions: [{ type: 'Ready' }] } }, 'status.conditions'],
  'a nodeInfo that is text': [{ metadata, status: { nodeInfo: 'x' } }, 'status.nodeInfo'],
  'a systemUUID that is a number': [
    { metadata, status: { nodeInfo: { systemUUID: 5 } } },
    'status.nodeInfo.systemUUID',
  ],
};

for (const [what, [node, field]] of Object.entries(invalidNodes)) {
  await t.test(`${what} is named`, async (t) => {
    t.match(findInvalidField(node), new RegExp(`^${field} is not `));
    t.throws(() => trimNode(node as Node), {
      kind: 'invalid-response',
      message: `Node a is skipped: ${field} is not `,
    });
  });
}

await t.test('the boot ID is kept where it is compared: on Nodes with an instance id', async (t) => {
  const nodeInfo = { systemUUID: 'uuid', bootID: 'boot' };
  const nodeWith = (annotations: Readonly<Record<string, string>>): Node =>
    trimNode({ metadata: { ...metadata, annotations }, spec: {}, status: { nodeInfo } });
  t.strictSame(nodeWith({}).status.nodeInfo, { systemUUID: 'uuid' });
  t.strictSame(nodeWith({ 'polycloud.dev/instance-id': '17' }).status.nodeInfo, nodeInfo);
});
