import t from 'tap';
import type { Test } from 'tap';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { release, render } from '../../lab/helm/chart.ts';
import type { Manifest } from '../../lab/helm/chart.ts';
import { apply, createNode } from './cluster.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const pods = `/api/v1/namespaces/${release.namespace}/pods`;
const replicas = 2;
const versionKey = 'example.com/version';
/** Where a replica lands is partly chance. */
const upgradesPerSize = 3;

await t.test('upgrades of the controller', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: ['kube-controller-manager', 'kube-scheduler'] });
  const rendered = await render({ agent: { enabled: false }, ccm: { replicas } });
  // Without that of `helm test`.
  const manifests = rendered.filter(({ kind }) => kind !== 'Job');
  const world: RolloutCluster = { plane, manifests, version: 0 };
  for (const [index, what] of ['one node', 'two nodes', 'three nodes'].entries()) {
    await t.test(`on ${what}`, (t) => upgradeOn(t, world, index + 1));
  }
});

interface RolloutCluster {
  readonly plane: ControlPlane;
  readonly manifests: readonly Manifest[];
  version: number;
}

/** The nodes before this one are there. */
async function upgradeOn(t: Test, cluster: RolloutCluster, nodes: number): Promise<void> {
  const { plane, manifests } = cluster;
  await createNode(plane, newNode(`node-${String(nodes)}`));
  for (let count = 0; count < upgradesPerSize; count += 1) {
    const isNew = cluster.version === 0;
    cluster.version += 1;
    const { version } = cluster;
    await apply(
      plane,
      manifests.map((each) => withVersion(each, version)),
    );
    const fewest = await fewestReady(plane, version);
    t.ok(isNew || fewest >= replicas, `${String(fewest)} were ready at the worst moment`);
    const names = (await list(plane)).map(({ spec }) => spec.nodeName);
    t.equal(new Set(names).size, Math.min(nodes, replicas), names.join(', '));
  }
}

/** Without the pause after each new pod, which nothing here depends on. */
function withVersion(manifest: Manifest, version: number): Manifest {
  if (manifest.kind !== 'Deployment') return manifest;
  const { template, ...spec } = manifest.spec as { readonly template: { readonly metadata: object } };
  const metadata = { ...template.metadata, annotations: { [versionKey]: String(version) } };
  return { ...manifest, spec: { ...spec, minReadySeconds: 0, template: { ...template, metadata } } };
}

function newNode(name: string): Parameters<typeof createNode>[1] {
  const resources = { cpu: '2', memory: '4Gi', pods: '110' };
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return { metadata: { name, labels }, status: { capacity: resources, allocatable: resources, conditions } };
}

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }> };
}

async function list(plane: ControlPlane): Promise<readonly Pod[]> {
  return ((await plane.ask('GET', pods)).body as { readonly items: readonly Pod[] }).items;
}

/** Until all are of this version. Plays the kubelets meanwhile: what is scheduled becomes Ready, what is to end ends. */
async function fewestReady(plane: ControlPlane, version: number): Promise<number> {
  let fewest = Infinity;
  await waitUntil({ what: `all pods are of version ${String(version)}`, withinMs: 60_000, everyMs: 50 }, async () => {
    const all = await list(plane);
    fewest = Math.min(fewest, all.filter(isReady).length);
    for (const pod of all) await simulateKubelet(plane, pod);
    const isDone = all.every((pod) => isReady(pod) && pod.metadata.annotations?.[versionKey] === String(version));
    return (isDone && all.length === replicas) || undefined;
  });
  return fewest;
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return (status.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}

async function simulateKubelet(plane: ControlPlane, pod: Pod): Promise<void> {
  const path = `${pods}/${pod.metadata.name}`;
  if (pod.metadata.deletionTimestamp !== undefined) await plane.ask('DELETE', `${path}?gracePeriodSeconds=0`);
  else if (pod.spec.nodeName !== undefined && !isReady(pod)) {
    const conditions = [{ type: 'Ready', status: 'True' }];
    await plane.ask('PATCH', `${path}/status`, { status: { phase: 'Running', conditions } });
  }
}
