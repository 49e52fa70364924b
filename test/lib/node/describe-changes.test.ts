import t from 'tap';
import { describeChanges } from '../../../lib/node/describe-changes.ts';
import type { NodePatch } from '../../../lib/node/plan.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const node: Node = {
  metadata: { name: 'a', uid: 'u-1', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    taints: [
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
      { key: 'other', effect: 'NoExecute' },
    ],
  },
  status: {},
};
const metadata = { resourceVersion: '7' };

const cases: Readonly<Record<string, readonly [NodePatch, readonly string[]]>> = {
  addresses: [
    {
      metadata,
      status: {
        addresses: [
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'Hostname', address: 'a' },
        ],
      },
    },
    ['set addresses InternalIP=10.0.0.1, Hostname=a'],
  ],
  'labels and annotations': [
    { metadata: { ...metadata, labels: { zone: 'b', type: 'm' }, annotations: { mark: 'aws' } } },
    ['set label zone=b', 'set label type=m', 'set annotation mark=aws'],
  ],
  providerID: [{ metadata, spec: { providerID: 'aws:///b/i-1' } }, ['set providerID aws:///b/i-1']],
  'taints that come and go': [
    {
      metadata,
      spec: {
        taints: [
          { key: 'other', effect: 'NoExecute' },
          { key: 'new', effect: 'NoSchedule' },
        ],
      },
    },
    ['add taint new:NoSchedule', 'remove taint node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule'],
  ],
  nothing: [{ metadata }, []],
};

for (const [what, [patch, words]] of Object.entries(cases)) {
  await t.test(`a patch with ${what}`, async (t) => t.strictSame(describeChanges(node, patch), words));
}
