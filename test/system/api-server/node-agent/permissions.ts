import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';

const serviceAccount = { namespace: 'kube-system', name: 'polycloud-node-agent' };
const tokenLifetimeS = 3_600;

/** A kubeconfig of a user with exactly the permissions that the agent needs. */
export async function agentKubeconfig(plane: SharedControlPlane): Promise<string> {
  const { namespace, name } = serviceAccount;
  await create(plane, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: serviceAccount });
  await create(plane, `${rbac}/clusterroles`, { metadata: { name }, rules: nodeRules });
  await create(plane, `${rbac}/clusterrolebindings`, binding('ClusterRole', undefined));
  await create(plane, `${rbac}/namespaces/default/roles`, {
    metadata: { name, namespace: 'default' },
    rules: eventRules,
  });
  await create(plane, `${rbac}/namespaces/default/rolebindings`, binding('Role', 'default'));
  const token = await plane.tokenFor(serviceAccount, { audiences: [], expirationSeconds: tokenLifetimeS });
  return plane.kubeconfigWithToken(token);
}

/** The token of a user who may read metrics. */
export async function scraperToken(plane: SharedControlPlane): Promise<string> {
  const scraper = { namespace: 'default', name: 'scraper' };
  const rules = [{ nonResourceURLs: ['/metrics', '/statusz'], verbs: ['get'] }];
  await create(plane, '/api/v1/namespaces/default/serviceaccounts', { metadata: scraper });
  await create(plane, `${rbac}/clusterroles`, { metadata: { name: 'scraper' }, rules });
  await create(plane, `${rbac}/clusterrolebindings`, {
    metadata: { name: 'scraper' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'scraper' },
    subjects: [{ kind: 'ServiceAccount', ...scraper }],
  });
  return plane.tokenFor(scraper, { audiences: [], expirationSeconds: tokenLifetimeS });
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const nodeRules = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
const eventRules = [{ apiGroups: [''], resources: ['events'], verbs: ['create'] }];

function binding(kind: string, namespace: string | undefined): object {
  const { name } = serviceAccount;
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'ServiceAccount', ...serviceAccount }],
  };
}

async function create(plane: SharedControlPlane, path: string, body: object): Promise<void> {
  const { status } = await plane.ask('POST', path, body);
  if (status !== 201 && status !== 409) throw new Error(`${path}: ${String(status)}`);
}
