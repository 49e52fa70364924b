import { writeFileSync } from 'node:fs';
import t from 'tap';
import type { Test } from 'tap';
import { systemClock } from '../../../../lib/clock.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../../../../lib/kubernetes/client.ts';
import type { Patch } from '../../../../lib/kubernetes/patch.ts';
import {
  configMaps,
  events,
  leases,
  nodes,
  subjectAccessReviews,
  tokenReviews,
} from '../../../../lib/kubernetes/resources.ts';
import type { Draft } from '../../../../lib/kubernetes/resources.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor, sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { requires } from '../../../lab/requires.ts';
import { neverAborted } from '../../../lib/http/loopback.ts';
import { createTestClient, generousLimits } from '../../../lib/kubernetes/mutable-access.ts';

await t.test('a real API server', requires(await findPrograms()), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  const client = clientFor(t, plane.adminKubeconfig);

  await t.test('more nodes than fit on a page are all listed', async (t) => {
    const names = Array.from({ length: 201 }, (_, index) => `many-${index}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(
        names.slice(at, at + 50).map((name) => client.create(nodes, draft(name, { many: 'yes' }), neverAborted)),
      );
    }
    const selection = { labelSelector: 'many=yes' };
    const sizes: number[] = [];
    for await (const { items } of client.pages(nodes, selection, neverAborted)) sizes.push(items.length);
    t.strictSame(sizes, [100, 100, 1]);
    const { items } = await client.list(nodes, selection, neverAborted);
    t.strictSame(items.map(({ metadata }) => metadata.name).toSorted(), names.toSorted());
    t.equal((await client.list(nodes, { labelSelector: 'many=no' }, neverAborted)).items.length, 0);
    t.equal((await client.list(nodes, { fieldSelector: 'metadata.name=many-7' }, neverAborted)).items.length, 1);
    for (let at = 0; at < items.length; at += 50) {
      await Promise.all(items.slice(at, at + 50).map((node) => client.delete(nodes, node.metadata, neverAborted)));
    }
    t.equal((await client.list(nodes, selection, neverAborted)).items.length, 0);
  });

  await t.test('each kind of patch has its effect', async (t) => {
    await client.create(nodes, draft('patched', { a: 'b' }), neverAborted);
    const patch = async (change: Patch, subresource?: 'status'): Promise<Node> =>
      client.patch(nodes, { name: 'patched', ...(subresource && { subresource }) }, change, neverAborted);
    const merged = await patch({ type: 'merge', body: { spec: { providerID: 'aws:///a/i-1' } } });
    t.equal(merged.spec.providerID, 'aws:///a/i-1');
    const taint = { key: 'a', effect: 'NoSchedule' };
    const strategic = await patch({ type: 'strategic-merge', body: { spec: { taints: [taint] } } });
    t.match(
      strategic.spec.taints?.find(({ key }) => key === 'a'),
      taint,
    );
    const path = '/metadata/labels/b';
    const json = await patch({ type: 'json', body: [{ op: 'add', path, value: 'c' }] });
    t.equal(json.metadata.labels?.['b'], 'c');
    const address = { type: 'InternalIP', address: '10.0.0.1' };
    const status = await patch({ type: 'strategic-merge', body: { status: { addresses: [address] } } }, 'status');
    t.strictSame(status.status.addresses, [address]);
    const taken = await patch({ type: 'merge', body: { metadata: { labels: { b: null } } } });
    t.notOk(taken.metadata.labels !== undefined && 'b' in taken.metadata.labels);
  });

  const patches: readonly Patch[] = [
    { type: 'merge', body: { metadata: { labels: { x: 'y' } } } },
    { type: 'strategic-merge', body: { metadata: { labels: { x: 'y' } } } },
    { type: 'json', body: [{ op: 'add', path: '/metadata/labels/x', value: 'y' }] },
  ];
  for (const patch of patches) {
    await t.test(`preconditions of a ${patch.type} patch`, async (t) => {
      const name = `held-${patch.type}`;
      const { metadata: first } = await client.create(nodes, draft(name, { a: 'b' }), neverAborted);
      const place = { name, uid: first.uid };
      const wrong = '11111111-2222-3333-4444-555555555555';
      await t.rejects(
        client.patch(nodes, { name, uid: wrong }, patch, neverAborted),
        { name: 'KubernetesError', kind: 'conflict' },
        'uid',
      );
      const after = await client.patch(
        nodes,
        { ...place, resourceVersion: first.resourceVersion },
        patch,
        neverAborted,
      );
      t.equal(after.metadata.labels?.['x'], 'y');
      const again = client.patch(nodes, { ...place, resourceVersion: first.resourceVersion }, patch, neverAborted);
      await t.rejects(again, { name: 'KubernetesError', kind: 'conflict' }, 'version');
    });
  }

  await t.test('a delete takes only the one that is meant', async (t) => {
    const { metadata: first } = await client.create(nodes, draft('same-name', {}), neverAborted);
    await client.delete(nodes, first, neverAborted);
    const { metadata: second } = await client.create(nodes, draft('same-name', {}), neverAborted);
    await t.rejects(client.delete(nodes, first, neverAborted), {
      name: 'KubernetesError',
      kind: 'conflict',
      reason: 'Conflict',
    });
    t.equal((await client.get(nodes, { name: 'same-name' }, neverAborted)).metadata.uid, second.uid);
    await client.delete(nodes, second, neverAborted);
    await t.rejects(client.delete(nodes, second, neverAborted), { name: 'KubernetesError', kind: 'not-found' });
  });

  await t.test('refusals', async (t) => {
    await client.create(nodes, draft('twice', {}), neverAborted);
    await t.rejects(client.create(nodes, draft('twice', {}), neverAborted), {
      name: 'KubernetesError',
      kind: 'already-exists',
    });
    await t.rejects(client.get(nodes, { name: 'nobody' }, neverAborted), {
      name: 'KubernetesError',
      kind: 'not-found',
    });
    await t.rejects(client.create(nodes, draft('No Name', {}), neverAborted), {
      name: 'KubernetesError',
      kind: 'invalid',
      reason: 'Invalid',
    });
    const nobody = clientFor(t, await plane.kubeconfigFor('nobody', []));
    await t.rejects(nobody.get(nodes, { name: 'twice' }, neverAborted), {
      name: 'KubernetesError',
      kind: 'forbidden',
      message: /nobody/,
    });
    const stranger = clientFor(t, await plane.kubeconfigWithToken('not-a-token-of-this-cluster'));
    const error = await stranger.get(nodes, { name: 'twice' }, neverAborted).catch((thrown: unknown) => thrown);
    t.match(error, { name: 'KubernetesError', kind: 'unauthorized' });
    t.notMatch(String(error), /not-a-token/);
  });

  await t.test('the other kinds', async (t) => {
    await plane.kubectl(['create', 'serviceaccount', 'somebody']);
    const token = await plane.tokenFor(
      { namespace: 'default', name: 'somebody' },
      { audiences: [], expirationSeconds: 600 },
    );
    const review = await client.create(tokenReviews, { spec: { token } }, neverAborted);
    t.match(review.status, { authenticated: true, user: { username: 'system:serviceaccount:default:somebody' } });
    const wrong = await client.create(tokenReviews, { spec: { token: 'wrong' } }, neverAborted);
    t.not(wrong.status?.authenticated, true);
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    const access = { spec: { user: 'nobody', nonResourceAttributes } };
    t.match(await client.create(subjectAccessReviews, access, neverAborted), { status: { allowed: false } });
    const place = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
    t.match(await client.get(configMaps, place, neverAborted), { data: { 'client-ca-file': /BEGIN CERTIFICATE/ } });
    await t.test('a lease and an event', (t) => checkLeaseAndEvent(t, client));
  });

  await t.test('a token file that rotates', (t) => checkTokenFile(t, plane));
});

await t.test('a real API server with too much to do', requires(await findPrograms()), async (t) => {
  const busy = ['--max-mutating-requests-inflight=5', '--enable-priority-and-fairness=false'];
  const plane = await controlPlaneFor(t, { parts: [], extraArguments: { 'kube-apiserver': busy } });
  // The API server never throttles administrators.
  await plane.kubectl(['create', 'clusterrolebinding', 'writer', '--clusterrole=cluster-admin', '--user=writer']);
  const access = kubeconfigAccess(await plane.kubeconfigFor('writer', []), { env: {}, clock: systemClock });
  const settings = { access, userAgent: 'polycloud-test', limits: generousLimits, random: Math.random };
  const waitsMs: number[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: (durationMs, signal) => {
      waitsMs.push(durationMs);
      return systemClock.sleep(durationMs, signal);
    },
  };
  const client = createClient({ ...settings, clock });
  t.teardown(() => client.close());
  // A quick machine may be through with some waves before the limit is met.
  let created = 0;
  for (let wave = 0; wave < 30 && waitsMs.length === 0; wave += 1) {
    const names = Array.from({ length: 100 }, (_, index) => `busy-${wave}-${index}`);
    await Promise.all(names.map((name) => client.create(nodes, draft(name, {}), neverAborted)));
    created += names.length;
  }
  t.equal((await client.list(nodes, {}, neverAborted)).items.length, created);
  t.ok(waitsMs.length > 0, 'some were told to come later');
  t.ok(waitsMs.every((waitMs) => waitMs >= 1_000));
});

async function checkLeaseAndEvent(t: Test, client: KubernetesClient): Promise<void> {
  const metadata = { namespace: 'kube-system', name: 'a-lease' };
  const spec = { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-11-18T12:00:00.123456Z' };
  const lease = await client.create(leases, { metadata, spec }, neverAborted);
  t.match(lease.spec, spec);
  const renewed = await client.patch(
    leases,
    { ...metadata, resourceVersion: lease.metadata.resourceVersion },
    { type: 'merge', body: { spec: { renewTime: '2026-11-18T12:00:02.000000Z' } } },
    neverAborted,
  );
  t.equal(renewed.spec.holderIdentity, 'me');
  const event = await client.create(
    events,
    {
      metadata: { namespace: 'default', generateName: 'a-node.' },
      involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'a-node', uid: 'a-node' },
      reason: 'Seen',
      message: 'it was seen',
      type: 'Normal',
      count: 1,
      firstTimestamp: '2026-11-18T12:00:00Z',
      lastTimestamp: '2026-11-18T12:00:00Z',
      source: { component: 'test' },
      reportingComponent: 'test',
      reportingInstance: 'test-1',
    },
    neverAborted,
  );
  t.match(event.metadata.name, /^a-node\./);
}

async function checkTokenFile(t: Test, plane: SharedControlPlane): Promise<void> {
  const token = await plane.tokenFor(
    { namespace: 'default', name: 'somebody' },
    { audiences: [], expirationSeconds: 600 },
  );
  const directory = t.testdir({
    token: 'of-another-cluster',
    'ca.crt': plane.certificateAuthority.pem,
    config: JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: plane.url, 'certificate-authority': 'ca.crt' } }],
      users: [{ name: 'a', user: { tokenFile: 'token' } }],
    }),
  });
  const client = clientFor(t, `${directory}/config`);
  await t.rejects(client.get(nodes, { name: 'twice' }, neverAborted), {
    name: 'KubernetesError',
    kind: 'unauthorized',
  });
  writeFileSync(`${directory}/token`, token);
  await t.rejects(client.get(nodes, { name: 'twice' }, neverAborted), {
    name: 'KubernetesError',
    kind: 'forbidden',
    message: /serviceaccount:default:somebody/,
  });
}

function clientFor(t: Test, kubeconfig: string): KubernetesClient {
  const client = createTestClient(
    kubeconfigAccess(kubeconfig, { env: {}, clock: systemClock }),
    systemClock,
    generousLimits,
  );
  t.teardown(() => client.close());
  return client;
}

function draft(name: string, labels: Readonly<Record<string, string>>): Draft<Node> {
  return { metadata: { name, labels }, spec: {} };
}
