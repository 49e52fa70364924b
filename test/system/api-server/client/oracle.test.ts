import { ApiException, CoreV1Api, KubeConfig, PatchStrategy, Watch, setHeaderOptions } from '@kubernetes/client-node';
import { writeFileSync } from 'node:fs';
import t from 'tap';
import type { Test } from 'tap';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import type { KubernetesClient } from '../../../../lib/kubernetes/client.ts';
import { KubernetesError } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { Patch } from '../../../../lib/kubernetes/patch.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { neverAborted } from '../../../lib/http/loopback.ts';
import { createTestClient, generousLimits } from '../../../lib/kubernetes/mutable-access.ts';

const patches: readonly { readonly name: string; readonly patch: Patch; readonly strategy: string }[] = [
  {
    name: 'merge',
    patch: { type: 'merge', body: { metadata: { labels: { a: null, e: 'f' } }, spec: { unschedulable: true } } },
    strategy: PatchStrategy.MergePatch,
  },
  {
    name: 'strategic',
    patch: { type: 'strategic-merge', body: { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } } },
    strategy: PatchStrategy.StrategicMergePatch,
  },
  {
    name: 'json',
    patch: { type: 'json', body: [{ op: 'remove', path: '/metadata/labels/c' }] },
    strategy: PatchStrategy.JsonPatch,
  },
];

await t.test("against Kubernetes' own client", requires(await findPrograms()), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  const ours = ownClient(t, plane.adminKubeconfig);
  const theirs = officialClient(plane.adminKubeconfig);
  await ours.create(nodes, { metadata: { name: 'seen', labels: { a: 'b' } }, spec: { providerID: 'x' } }, neverAborted);

  await t.test('the same objects are read', async (t) => {
    const { items, resourceVersion } = await ours.list(nodes, { labelSelector: 'a=b' }, neverAborted);
    const list = await theirs.listNode({ labelSelector: 'a=b' });
    t.strictSame(items, plain(list.items));
    t.ok(Number(resourceVersion) <= Number(list.metadata?.resourceVersion));
    t.strictSame(await ours.get(nodes, { name: 'seen' }, neverAborted), plain(await theirs.readNode({ name: 'seen' })));
  });

  for (const { name, patch, strategy } of patches) {
    await t.test(`the same patch does the same: ${name}`, async (t) => {
      const pair = [`ours-${name}`, `theirs-${name}`] as const;
      for (const each of pair) {
        await ours.create(nodes, { metadata: { name: each, labels: { a: 'b', c: 'd' } }, spec: {} }, neverAborted);
      }
      const mine = await ours.patch(nodes, { name: pair[0] }, patch, neverAborted);
      const official = await theirs.patchNode({ name: pair[1], body: patch.body }, headers(strategy));
      t.strictSame(changeable(mine), changeable(plain(official) as Node));
    });
  }

  await t.test('the same refusals', async (t) => {
    const nobody = await plane.kubeconfigFor('nobody', []);
    const stranger = await plane.kubeconfigWithToken('unknown');
    const place = { name: 'seen' };
    const [unknown, refused] = [officialClient(stranger), officialClient(nobody)];
    const [ownUnknown, ownRefused] = [ownClient(t, stranger), ownClient(t, nobody)];
    const draft = { metadata: place, spec: {} };
    const other = { ...place, body: { preconditions: { uid: 'other' } } };
    const pairs: readonly (readonly [
      status: number,
      mine: () => Promise<unknown>,
      official: () => Promise<unknown>,
    ])[] = [
      [404, () => ours.get(nodes, { name: 'x' }, neverAborted), () => theirs.readNode({ name: 'x' })],
      [409, () => ours.create(nodes, draft, neverAborted), () => theirs.createNode({ body: draft })],
      [409, () => ours.delete(nodes, { ...place, uid: 'other' }, neverAborted), () => theirs.deleteNode(other)],
      [403, () => ownRefused.get(nodes, place, neverAborted), () => refused.readNode(place)],
      [401, () => ownUnknown.get(nodes, place, neverAborted), () => unknown.readNode(place)],
    ];
    for (const [status, mine, official] of pairs) {
      const [a, b] = await Promise.allSettled([mine(), official()]);
      t.equal(a.status === 'rejected' && a.reason instanceof KubernetesError && a.reason.status, status);
      t.equal(b.status === 'rejected' && b.reason instanceof ApiException && b.reason.code, status);
    }
  });

  await t.test('the same events, in the same order', async (t) => {
    await sameEvents(t, plane, ours);
  });

  await t.test('the same kubeconfigs are understood', async (t) => {
    for (const file of await kubeconfigs(t, plane)) {
      const mine = await ownClient(t, file)
        .get(nodes, { name: 'seen' }, neverAborted)
        .catch((error: unknown) => (error instanceof KubernetesError ? error.message : error));
      const official = await officialClient(file)
        .readNode({ name: 'seen' })
        .catch((error: unknown) => (error instanceof ApiException ? String(error.body) : error));
      // This account has no permissions: the refusal names the user, for both clients.
      t.match(mine, /cannot get resource/);
      t.match(official, /cannot get resource/);
    }
  });
});

function headers(strategy: string): ReturnType<typeof setHeaderOptions> {
  return setHeaderOptions('Content-Type', strategy);
}

async function sameEvents(t: Test, plane: SharedControlPlane, client: KubernetesClient): Promise<void> {
  const { resourceVersion } = await client.list(nodes, {}, neverAborted);
  const [mine, official]: [string[], string[]] = [[], []];
  const watch = await new Watch(loaded(plane.adminKubeconfig)).watch(
    '/api/v1/nodes',
    { resourceVersion },
    (type, object: Node) => official.push(eventLine(type, object)),
    () => {},
  );
  const controller = new AbortController();
  const events = await client.watch(nodes, { resourceVersion, timeoutSeconds: 60 }, controller.signal);
  const reading = (async () => {
    for await (const event of events) {
      if (event.type !== 'BOOKMARK') mine.push(eventLine(event.type, event.object));
    }
  })().catch(() => undefined);
  const names = Array.from({ length: 20 }, (_, index) => `event-${index}`);
  await Promise.all(
    names.map(async (name) => {
      const { metadata } = await client.create(nodes, { metadata: { name }, spec: {} }, neverAborted);
      const body = { metadata: { annotations: { a: 'größe — 節點' } } };
      await client.patch(nodes, { name }, { type: 'merge', body }, neverAborted);
      await client.delete(nodes, { name, uid: metadata.uid }, neverAborted);
    }),
  );
  const all = async (): Promise<true | undefined> => (mine.length >= 60 && official.length >= 60 ? true : undefined);
  await waitUntil({ what: '60 events each', withinMs: 20_000, everyMs: 10 }, all);
  t.strictSame(mine, official);
  controller.abort();
  watch.abort();
  await reading;
}

function eventLine(type: string, { metadata }: Node): string {
  return `${type} ${metadata.name} ${metadata.uid} ${metadata.resourceVersion} ${JSON.stringify(metadata.annotations)}`;
}

/** A token, a file with one, and an exec plugin that returns one; authorities inside and outside the file. */
async function kubeconfigs(t: Test, plane: SharedControlPlane): Promise<readonly string[]> {
  await plane.kubectl(['create', 'serviceaccount', 'somebody']);
  const account = { namespace: 'default', name: 'somebody' };
  const token = await plane.tokenFor(account, { audiences: [], expirationSeconds: 600 });
  const directory = t.testdir({ token, 'ca.crt': plane.certificateAuthority.pem });
  const apiVersion = 'client.authentication.k8s.io/v1';
  const credential = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token } });
  writeFileSync(`${directory}/plugin.sh`, `#!/bin/sh\nprintf '%s' '${credential}'\n`, { mode: 0o700 });
  const exec = { apiVersion, command: `${directory}/plugin.sh`, interactiveMode: 'Never' };
  const beside = { 'certificate-authority': `${directory}/ca.crt` };
  const inside = { 'certificate-authority-data': Buffer.from(plane.certificateAuthority.pem).toString('base64') };
  const users = { token: { token }, file: { tokenFile: `${directory}/token` }, exec: { exec } };
  return Object.entries(users).flatMap(([name, user]) =>
    [beside, inside].map((authority, index) => {
      const file = `${directory}/${name}-${index}`;
      writeFileSync(file, kubeconfig({ server: plane.url, ...authority }, user));
      return file;
    }),
  );
}

function kubeconfig(cluster: object, user: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster }],
    users: [{ name: 'a', user }],
  });
}

function loaded(kubeconfigFile: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigFile);
  return config;
}

function officialClient(kubeconfigFile: string): CoreV1Api {
  return loaded(kubeconfigFile).makeApiClient(CoreV1Api);
}

function ownClient(t: Test, kubeconfigFile: string): KubernetesClient {
  const access = kubeconfigAccess(kubeconfigFile, { env: process.env, clock: systemClock });
  const client = createTestClient(access, systemClock, generousLimits);
  t.teardown(() => client.close());
  return client;
}

/** As the wire has it: dates are text there. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('.000Z"', 'Z"'));
}

function changeable({ metadata: { labels, annotations }, spec, status }: Node): unknown {
  return {
    labels,
    annotations,
    spec: { ...spec, taints: spec.taints?.map(({ key, effect }) => [key, effect]) },
    status,
  };
}
