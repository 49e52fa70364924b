import t from 'tap';
import { createApi } from '../../lab/control-plane/api.ts';
import type { CallApi, Method } from '../../lab/control-plane/api.ts';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { render } from '../../lab/helm/chart.ts';
import { apply, createNode, tokenOfPod } from './cluster.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const uninitialized = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule', value: 'true' };
/** What the API server itself puts on a new Node. */
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const ownTaint = { key: 'polycloud.dev/reserved', effect: 'NoSchedule' };
const otherTaint = { key: 'polycloud.dev/other', effect: 'NoExecute' };

/** As a kubelet registers it that was started with --node-labels and --register-with-taints. */
const registered = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'own',
    labels: { 'polycloud.dev/cloud': 'aws', 'example.com/pool': 'a' },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', 'polycloud.dev/own': 'word' },
  },
  spec: { taints: [uninitialized, ownTaint] },
};

type Change = readonly [path: string, body: object];

const allowed: Readonly<Record<string, Change>> = {
  'report its status': ['/status', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }],
  'change another label': ['', { metadata: { labels: { 'example.com/pool': 'b' } } }],
  'change another annotation': [
    '',
    { metadata: { annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.0.0.1' } } },
  ],
};

const refused: Readonly<Record<string, readonly [Change, RegExp]>> = {
  'confirm deletions': [
    ['', { metadata: { annotations: { 'polycloud.dev/confirm-deletions': 'word' } } }],
    /may not change these annotations of a registered Node: polycloud.dev\/confirm-deletions/,
  ],
  'confirm deletions by way of its status': [
    ['/status', { metadata: { annotations: { 'polycloud.dev/confirm-deletions': 'word' } } }],
    /may not change these annotations/,
  ],
  'remove an annotation': [['', { metadata: { annotations: { 'polycloud.dev/note': null } } }], /annotations/],
  'change a label': [
    ['', { metadata: { labels: { 'polycloud.dev/cloud': 'false' } } }],
    /may not change these labels of a registered Node: polycloud.dev\/cloud/,
  ],
  'remove a label': [['', { metadata: { labels: { 'polycloud.dev/cloud': null } } }], /may not change these labels/],
  'change a label by way of its status': [
    ['/status', { metadata: { labels: { 'polycloud.dev/cloud': 'false' } } }],
    /may not change these labels/,
  ],
};

/** With the admission plugin NodeRestriction, the API server itself lets no kubelet change taints. */
const refusedTaints: Readonly<Record<string, object>> = {
  'add a taint': { spec: { taints: [uninitialized, notReady, ownTaint, otherTaint] } },
  'remove a taint': { spec: { taints: [uninitialized, notReady] } },
  'change a taint': { spec: { taints: [uninitialized, notReady, { ...ownTaint, effect: 'NoExecute' }] } },
};

await t.test('what a kubelet may change of a Node', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const manifests = await render({});
  await apply(plane, manifests);
  const kubelet = await apiAs(plane, 'system:node:own');
  const change = (api: CallApi, [path, body]: Change): ReturnType<typeof ask> =>
    ask(api, 'PATCH', `/api/v1/nodes/own${path}?dryRun=All`, body);

  await t.test('it registers with labels, annotations and taints of polycloud.dev', async (t) => {
    t.match(await ask(kubelet, 'POST', '/api/v1/nodes', registered), { status: 201 });
    const note = { metadata: { annotations: { 'polycloud.dev/note': 'an operator wrote this' } } };
    t.match(await plane.ask('PATCH', '/api/v1/nodes/own', note), { status: 200 });
  });

  const [confirm] = refused['confirm deletions'] ?? [];
  if (confirm === undefined) throw new Error('the table has other names');
  await waitUntil({ what: 'the policy is in force', withinMs: 20_000, everyMs: 100 }, async () =>
    (await change(kubelet, confirm)).status === 403 ? true : undefined,
  );

  await t.test('it changes everything else that it needs', async (t) => {
    for (const [what, wish] of Object.entries(allowed)) t.match(await change(kubelet, wish), { status: 200 }, what);
  });
  await t.test('it changes no label and no annotation of polycloud.dev', async (t) => {
    for (const [what, [wish, message]] of Object.entries(refused)) {
      t.match(await change(kubelet, wish), { status: 403, message }, what);
    }
  });
  await t.test('it changes no taint of polycloud.dev, with or without NodeRestriction', async (t) => {
    await allowNodesToPatch(plane);
    const withoutRestriction = await apiAs(plane, 'a-kubelet-of-another-name');
    for (const [what, body] of Object.entries(refusedTaints)) {
      t.match(await change(kubelet, ['', body]), { status: 403 }, what);
      const message = /a kubelet may not change the taints of polycloud.dev/;
      t.match(await change(withoutRestriction, ['', body]), { status: 403, message }, what);
    }
    const others = { spec: { taints: [notReady, ownTaint] } };
    t.match(await change(withoutRestriction, ['', others]), { status: 200 }, 'other taints are not this policy’s');
  });
  await t.test('it gets tokens of the pods on its own node, and of no others', async (t) => {
    await createNode(plane, { metadata: { name: 'other' } });
    const places = {
      'polycloud-node-agent': ['DaemonSet', 'own', 201],
      'polycloud-ccm': ['Deployment', 'other', 403],
    } as const;
    for (const [name, [kind, nodeName, status]] of Object.entries(places)) {
      await tokenOfPod(plane, manifests, { kind, name, nodeName });
      const pod = await plane.ask('GET', `/api/v1/namespaces/kube-system/pods/${name}-on-${nodeName}`);
      const { uid } = (pod.body as { readonly metadata: { readonly uid: string } }).metadata;
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: `${name}-on-${nodeName}`, uid };
      const path = `/api/v1/namespaces/kube-system/serviceaccounts/${name}/token`;
      const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } };
      t.match(await ask(kubelet, 'POST', path, wish), { status }, name);
    }
  });
  await t.test('an operator is not restricted', async (t) => {
    for (const [what, [[path, body]]] of Object.entries(refused)) {
      t.match(await plane.ask('PATCH', `/api/v1/nodes/own${path}?dryRun=All`, body), { status: 200 }, what);
    }
  });
  await t.test('it changes no other Node and deletes none, and it can register as any instance', async (t) => {
    const label = { metadata: { labels: { 'example.com/pool': 'b' } } };
    t.match(await ask(kubelet, 'PATCH', '/api/v1/nodes/other?dryRun=All', label), { status: 403 });
    t.match(await ask(kubelet, 'DELETE', '/api/v1/nodes/other?dryRun=All', {}), { status: 403 });
    t.match(await ask(kubelet, 'DELETE', '/api/v1/nodes/own?dryRun=All', {}), { status: 403 });
    t.match(await plane.ask('DELETE', '/api/v1/nodes/own'), { status: 200 });
    const again = { ...registered, spec: { ...registered.spec, providerID: 'aws:///us-west-2a/i-00000000000000001' } };
    t.match(await ask(kubelet, 'POST', '/api/v1/nodes', again), { status: 201 });
  });
});

async function apiAs(plane: ControlPlane, user: string): Promise<CallApi> {
  const client = await plane.authority.issueClient(user.replaceAll(':', '-'), { user, groups: ['system:nodes'] });
  return createApi({ url: plane.url, authorityFile: plane.certificateAuthority.file, client });
}

async function ask(
  api: CallApi,
  method: Method,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly message: string }> {
  const answer = await api(method, path, body);
  return { status: answer.status, message: (answer.body as { readonly message?: string }).message ?? '' };
}

/** A member of the group whose name is no node's is authorised by roles alone. */
async function allowNodesToPatch(plane: ControlPlane): Promise<void> {
  await plane.kubectl(['create', 'clusterrole', 'patch-nodes', '--verb=get,patch', '--resource=nodes']);
  await plane.kubectl([
    'create',
    'clusterrolebinding',
    'patch-nodes',
    '--clusterrole=patch-nodes',
    '--group=system:nodes',
  ]);
}
