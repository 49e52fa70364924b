import t from 'tap';
import type { Test } from 'tap';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import type { KubernetesClient } from '../../../../lib/kubernetes/client.ts';
import { KubernetesError } from '../../../../lib/kubernetes/kubernetes-error.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import { watchList } from '../../../../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../../../../lib/kubernetes/watch/watch-list.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { neverAborted } from '../../../lib/http/loopback.ts';
import { createTestClient } from '../../../lib/kubernetes/mutable-access.ts';

const times = { shortestWatchSeconds: 60, longestSilenceMs: 3_000, firstWaitMs: 50, longestWaitMs: 500 };
const limits = { connectMs: 2_000, totalMs: 5_000 };

await t.test('a watch on a real API server', requires(await findPrograms()), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const client = clientFor(t, plane.adminKubeconfig);
  const { list, calls: told } = watchNodes(t, client);
  await until('the first list', () => list.isSynced());

  await t.test('every change is delivered once, in order', async (t) => {
    const { metadata } = await client.create(nodes, { metadata: { name: 'a' }, spec: {} }, neverAborted);
    await client.patch(nodes, { name: 'a' }, { type: 'merge', body: { spec: { providerID: 'x' } } }, neverAborted);
    await client.delete(nodes, { name: metadata.name, uid: metadata.uid }, neverAborted);
    await client.create(nodes, { metadata: { name: 'b' }, spec: {} }, neverAborted);
    await until('b', () => list.objects.has('b'));
    t.strictSame(told.splice(0), ['listed', 'added a', 'changed a', 'removed a', 'added b']);
  });

  await t.test('after a restart of the API server nothing is missed or delivered twice', async (t) => {
    await plane.killApiServer();
    await until('trouble', () => told.some((line) => line.startsWith('trouble unavailable')));
    await plane.startApiServer();
    await client.create(nodes, { metadata: { name: 'c' }, spec: {} }, neverAborted);
    await until('c', () => list.objects.has('c'));
    // It may have had to list again: a server that has just started need not know the version we were at.
    const changes = withoutFailures(told.splice(0)).filter((each) => each !== 'listed');
    t.strictSame(changes, ['added c']);
  });

  await t.test('an API server that stands still is noticed', async (t) => {
    plane.pause('kube-apiserver');
    await until('silence is noticed', () => told.some((line) => line.includes('nothing was heard for 3 s')));
    plane.resume('kube-apiserver');
    await client.create(nodes, { metadata: { name: 'd' }, spec: {} }, neverAborted);
    await until('d', () => list.objects.has('d'));
    t.strictSame(withoutFailures(told.splice(0)), ['added d']);
  });

  await t.test('after an expired resourceVersion it lists again and delivers the missed changes', async (t) => {
    const gate = { isOpen: true };
    const cutOff = watchNodes(t, {
      ...client,
      watch: async (...args) => {
        if (!gate.isOpen) throw connectionRefused();
        return client.watch(...args);
      },
    });
    await until('the first list', () => cutOff.list.isSynced());
    gate.isOpen = false;
    await plane.killApiServer();
    await plane.startApiServer();
    const { metadata } = await client.get(nodes, { name: 'b' }, neverAborted);
    await client.delete(nodes, { name: metadata.name, uid: metadata.uid }, neverAborted);
    await client.create(nodes, { metadata: { name: 'b' }, spec: {} }, neverAborted);
    await client.create(nodes, { metadata: { name: 'e' }, spec: {} }, neverAborted);
    await plane.killApiServer();
    await plane.startApiServer();
    cutOff.calls.splice(0);
    gate.isOpen = true;
    await until('e', () => cutOff.calls.includes('listed'));
    t.ok(cutOff.calls.some((line) => line.startsWith('trouble gone')));
    t.strictSame(withoutFailures(cutOff.calls), ['removed b', 'added b', 'added e', 'listed']);
    await until('the other one too', () => list.objects.has('e'));
  });

  await t.test('at the end the store equals a list', async (t) => {
    const { items } = await client.list(nodes, {}, neverAborted);
    t.strictSame([...list.objects.values()].map(content).toSorted(byName), items.map(content).toSorted(byName));
  });
});

interface WatchRecording {
  readonly list: WatchedList<Node>;
  /** In order: `added a`, `listed`, `trouble unavailable: …`. */
  readonly calls: string[];
}

function watchNodes(t: Test, client: Pick<KubernetesClient, 'pages' | 'watch'>): WatchRecording {
  const controller = new AbortController();
  const calls: string[] = [];
  const list = watchList(
    { client, resource: nodes, selection: {}, transform: (node: Node) => node, times },
    {
      changed: ({ kind, object }) => calls.push(`${kind} ${object.metadata.name}`),
      listed: () => calls.push('listed'),
      failed: ({ kind, message }) => calls.push(`trouble ${kind}: ${message}`),
    },
    { signal: controller.signal, clock: systemClock, random: Math.random },
  );
  t.teardown(async () => {
    controller.abort();
    await list.ended;
  });
  return { list, calls };
}

function clientFor(t: Test, kubeconfig: string): KubernetesClient {
  const client = createTestClient(kubeconfigAccess(kubeconfig, { env: {}, clock: systemClock }), systemClock, limits);
  t.teardown(() => client.close());
  return client;
}

function connectionRefused(): KubernetesError {
  return new KubernetesError('unavailable', 'cut off', { remedy: 'wait' });
}

function withoutFailures(calls: readonly string[]): readonly string[] {
  return calls.filter((line) => !line.startsWith('trouble'));
}

/** Events say their kind each, and lists once. */
function content({ metadata, spec, status }: Node): Node {
  return { metadata, spec, status };
}

function byName(a: Node, b: Node): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

async function until(what: string, condition: () => boolean): Promise<void> {
  await waitUntil({ what, withinMs: 30_000, everyMs: 10 }, async () => condition() || undefined);
}
