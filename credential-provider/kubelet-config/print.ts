import { stringify } from 'yaml';
import type { ProviderEntry } from './entries.ts';

/** What the kubelet's --image-credential-provider-config may point to. */
export function printConfig(entries: readonly ProviderEntry[]): string {
  const file = stringify({
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: entries,
  });
  return entries.length > 1 ? `${warning}${file}` : file;
}

/** We never turn a pod into the node; a kubelet that has entries for both asks for both. */
const warning = `# The kubelet asks every entry that matches: where a pod's own login fails or is missing, it pulls with the node's. Take those
# hosts out of the last entry that must be pulled with the pods' identities alone.
`;

const roleName = 'polycloud:request-token-audiences';
const group = 'rbac.authorization.k8s.io';

/** What lets kubelets ask for tokens with these audiences; `undefined`: they ask for none. */
export function printRbac(entries: readonly ProviderEntry[]): string | undefined {
  const audiences = entries.flatMap(({ tokenAttributes }) => tokenAttributes?.serviceAccountTokenAudience ?? []);
  if (audiences.length === 0) return undefined;
  const role = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name: roleName },
    rules: [{ apiGroups: [''], resources: audiences, verbs: ['request-serviceaccounts-token-audience'] }],
  };
  const binding = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: roleName },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: roleName },
    subjects: [{ apiGroup: group, kind: 'Group', name: 'system:nodes' }],
  };
  return `${stringify(role)}---\n${stringify(binding)}`;
}
