import { stringify } from 'yaml';
import type { ProviderEntry } from './entries.ts';

export type PrintFormat = 'yaml' | 'json';

/** A file for the kubelet's --image-credential-provider-config. The kubelet reads both formats. */
export function printConfig(entries: readonly ProviderEntry[], format: PrintFormat = 'yaml'): string {
  const file = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers: entries };
  if (format === 'json') return `${JSON.stringify(file, undefined, 2)}\n`;
  return entries.length > 1 ? `${warning}${entries.map(annotationNote).join('')}${stringify(file)}` : stringify(file);
}

/** Each entry for pods requires an annotation. */
function annotationNote({ name, tokenAttributes }: ProviderEntry): string {
  const keys = tokenAttributes?.requiredServiceAccountAnnotationKeys ?? [];
  return keys.length === 0
    ? ''
    : `# ${name} is called only for service accounts with the annotation ${keys.join(', ')}.\n`;
}

/** We never use the node's identity for a pod, but a kubelet with entries for both tries both. */
const warning = `# The kubelet uses every entry that matches: if the login of a pod fails or is missing, it pulls with the login of the node.
# Remove hosts from the last entry if only pods may pull from them.
# For service accounts with other annotations, print the file with --annotations.
`;

const roleName = 'polycloud-token-audiences';
const group = 'rbac.authorization.k8s.io';

/** The RBAC rules that let kubelets request tokens with these audiences; `undefined`: no entry needs tokens. */
export function printRbac(entries: readonly ProviderEntry[], format: PrintFormat = 'yaml'): string | undefined {
  const audiences = [
    ...new Set(entries.flatMap(({ tokenAttributes }) => tokenAttributes?.serviceAccountTokenAudience ?? [])),
  ];
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
  const list = { apiVersion: 'v1', kind: 'List', items: [role, binding] };
  return format === 'json' ? `${JSON.stringify(list, undefined, 2)}\n` : `${stringify(role)}---\n${stringify(binding)}`;
}
