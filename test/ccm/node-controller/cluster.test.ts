import t from 'tap';
import { dryRunCluster, LeadershipLost } from '../../../ccm/node-controller/cluster.ts';
import { createKubernetesCluster } from '../../../ccm/node-controller/kubernetes-cluster.ts';
import { createWrites } from '../../../ccm/node-controller/writes.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import type { Node } from '../../../schemas/kubernetes.ts';

const node: Node = {
  metadata: { name: 'a', uid: 'u-1', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { providerID: 'aws:///us-west-2a/i-1' },
  status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
};

/** Answers reads with one Node, and notes what is to be deleted. */
function clientWith(live: Node, removed: object[]): KubernetesClient {
  const refuse = (): never => {
    throw new Error('not expected here');
  };
  return {
    get: () => Promise.resolve(live as never),
    delete: (_resource, ref) => {
      removed.push(ref);
      return Promise.resolve();
    },
    list: refuse,
    pages: refuse,
    create: refuse,
    patch: refuse,
    evict: refuse,
    watch: refuse,
    read: refuse,
    close: () => {},
  };
}

async function removeWhile(
  live: Node,
  mayWrite: boolean,
  stillHolds = true,
): Promise<{ answer: string; removed: readonly object[] }> {
  const removed: object[] = [];
  const { signal } = new AbortController();
  const parts = { clock: systemClock, signal, mayWrite: () => mayWrite };
  const writes = createWrites({ ...parts, mayWrite: () => true, limits: { atOnce: 1, perSecond: 0, burst: 1 } });
  const client = clientWith(live, removed);
  const cluster = createKubernetesCluster({
    ...parts,
    client,
    writes,
    maxWriteMs: 1_000,
    component: 'test',
    instance: 'test',
  });
  return { answer: await cluster.deleteNode(node, () => stillHolds), removed };
}

await t.test('a deletion names the very object and the version that was read last', async (t) => {
  const live = { ...node, metadata: { ...node.metadata, resourceVersion: '9' } };
  const { answer, removed } = await removeWhile(live, true);
  t.equal(answer, 'removed');
  t.strictSame(removed, [{ name: 'a', uid: 'u-1', resourceVersion: '9' }]);
});

const { metadata } = node;
const others: Readonly<Record<string, Node>> = {
  'another Node of the same name': { ...node, metadata: { ...metadata, uid: 'u-2' } },
  'one that is Ready again': { ...node, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  'one of another instance': { ...node, spec: { providerID: 'aws:///us-west-2a/i-2' } },
  'one that was taken out of our hands': {
    ...node,
    metadata: { ...metadata, labels: { 'polycloud.dev/cloud': 'false' } },
  },
  'one that is being deleted': { ...node, metadata: { ...metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } },
  'one that waits for its cloud again': {
    ...node,
    spec: {
      ...node.spec,
      taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
    },
  },
};
for (const [what, live] of Object.entries(others)) {
  await t.test(`${what} is not deleted`, async (t) => {
    t.strictSame(await removeWhile(live, true), { answer: 'not-this-one', removed: [] });
  });
}

await t.test('a replica that lost the lease while reading does not delete', async (t) => {
  t.strictSame(await removeWhile(node, false), { answer: 'not-this-one', removed: [] });
});

await t.test('what is no longer decided when the Node was read is not deleted', async (t) => {
  t.strictSame(await removeWhile(node, true, false), { answer: 'not-this-one', removed: [] });
});

await t.test('no write begins once another may be leading', async (t) => {
  const { signal } = new AbortController();
  const limits = { atOnce: 2, perSecond: 0, burst: 1 };
  const writes = createWrites({ clock: systemClock, signal, limits, mayWrite: () => false });
  let begun = 0;
  const writing = writes.run(() => Promise.resolve((begun += 1)));
  await t.rejects(writing, new LeadershipLost('another may be leading'));
  t.equal(begun, 0);
});

await t.test('only so many writes are under way at once, and all get their turn', async (t) => {
  const { signal } = new AbortController();
  const writes = createWrites({
    clock: systemClock,
    signal,
    limits: { atOnce: 3, perSecond: 0, burst: 1 },
    mayWrite: () => true,
  });
  let underWay = 0;
  let most = 0;
  const one = async (): Promise<void> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => writes.run(one)));
  t.equal(most, 3);
  t.equal(underWay, 0);
});

await t.test('a dry run reads, and writes nothing', async (t) => {
  const cluster = dryRunCluster({ read: () => Promise.resolve(node) });
  const patch = { metadata: { resourceVersion: '7' }, spec: {} };
  const event = { type: 'Normal', reason: 'Synced', message: 'x' } as const;
  t.equal(await cluster.read('a'), node);
  t.strictSame(
    await Promise.all([
      cluster.patch(node, patch),
      cluster.patchStatus(node, patch),
      cluster.setCondition(node, { type: 'x', status: 'True' }),
      cluster.deleteNode(node, () => true),
      cluster.recordEvent(node, event),
    ]),
    Array.from({ length: 5 }, () => 'not-written'),
  );
});
