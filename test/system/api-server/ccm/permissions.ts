import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { projectDirectory } from '../../../../build/project.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';

/** Its members have exactly the permissions that the guide lists for the controller. */
export const controllerGroup = 'polycloud-ccm';

const guide = join(projectDirectory, 'docs/guides/ccm.md');

/** Gives the group the roles of the guide, as they stand there. */
export async function grantPermissions(plane: SharedControlPlane): Promise<void> {
  for (const manifest of await manifestsOfGuide()) {
    const { status } = await plane.ask('POST', pathOf(manifest), withGroup(manifest));
    if (status !== 201) throw new Error(`${manifest.kind} ${manifest.metadata.name} was not created: ${status}`);
  }
  await waitUntil({ what: 'the roles hold', withinMs: 10_000, everyMs: 20 }, async () => {
    const allowed = await Promise.all(neededLast.map((attributes) => isAllowed(plane, attributes)));
    return allowed.every(Boolean) || undefined;
  });
}

interface Manifest {
  readonly kind: keyof typeof plurals;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly subjects?: readonly object[];
}

const plurals = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

async function manifestsOfGuide(): Promise<readonly Manifest[]> {
  const text = /^```yaml\n(.*?)^```$/ms.exec(await readFile(guide, 'utf8'))?.[1];
  if (text === undefined) throw new Error('the guide has no roles');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

function pathOf({ kind, metadata: { namespace } }: Manifest): string {
  const namespacePath = namespace === undefined ? '' : `namespaces/${namespace}/`;
  return `/apis/rbac.authorization.k8s.io/v1/${namespacePath}${plurals[kind]}`;
}

function withGroup(manifest: Manifest): object {
  if (manifest.subjects === undefined) return manifest;
  return { ...manifest, subjects: [{ kind: 'Group', name: controllerGroup, apiGroup: 'rbac.authorization.k8s.io' }] };
}

const neededLast: readonly object[] = [
  { verb: 'delete', resource: 'nodes' },
  { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system' },
  { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
  { verb: 'get', resource: 'configmaps', namespace: 'kube-system', name: 'extension-apiserver-authentication' },
];

async function isAllowed({ ask }: SharedControlPlane, resourceAttributes: object): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'somebody', groups: [controllerGroup], resourceAttributes },
  };
  const { body } = await ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
  return (body as { status?: { allowed?: boolean } }).status?.allowed === true;
}
