import type { ControlPlane } from '../control-plane/control-plane.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

/** Lets kubelets request service account tokens for an audience outside the cluster. In force when it settles. */
export async function allowAudience({ ask }: ControlPlane, audience: string): Promise<void> {
  const name = 'lab-image-pull-audience';
  const rbac = { group: 'rbac.authorization.k8s.io', path: '/apis/rbac.authorization.k8s.io/v1' };
  const rules = [{ apiGroups: [''], resources: [audience], verbs: ['request-serviceaccounts-token-audience'] }];
  const binding = {
    roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: rbac.group, kind: 'Group', name: 'system:nodes' }],
  };
  await create(ask, `${rbac.path}/clusterroles`, { metadata: { name }, rules });
  await create(ask, `${rbac.path}/clusterrolebindings`, { metadata: { name }, ...binding });
  const resourceAttributes = { verb: 'request-serviceaccounts-token-audience', resource: audience };
  const spec = { user: 'system:node:any', groups: ['system:nodes'], resourceAttributes };
  await waitUntil({ what: `kubelets may ask for ${audience}`, withinMs: 20_000, everyMs: 20 }, async () => {
    const { body } = await ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    return (body as { readonly status: { readonly allowed: boolean } }).status.allowed || undefined;
  });
}

/** A service account with annotations, in the namespace `default`. */
export async function createServiceAccount(
  { ask }: ControlPlane,
  name: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  await create(ask, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name, annotations } });
}

async function create(ask: ControlPlane['ask'], path: string, body: object): Promise<void> {
  const { status, body: said } = await ask('POST', path, body);
  if (status !== 201) throw new Error(`POST ${path}: ${String(status)} ${JSON.stringify(said)}`);
}
