import { stringify } from 'yaml';
import type { ProviderEntry } from './entries.ts';

/** A file for the kubelet's --image-credential-provider-config. */
export function printConfig(entries: readonly ProviderEntry[]): string {
  const file = stringify({
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: entries,
  });
  return entries.length > 1 ? `${warning}${file}` : file;
}

/** We never use the node's identity for a pod, but a kubelet with entries for both tries both. */
const warning = `# The kubelet uses every entry that matches: if the login of a pod fails or is missing, it pulls with the login of the node.
# Remove hosts from the last entry if only pods may pull from them.
`;

const roleName = 'polycloud-token-audiences';
const group = 'rbac.authorization.k8s.io';

/** The RBAC rules that let kubelets request tokens with these audiences; `undefined`: no entry needs tokens. */
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
