import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import type { RunResult } from '../network/run-command.ts';
import { nodeFor } from './for-test.ts';
import { runKubeletAsUnit } from './kubelet-unit.ts';
import type { LabNode } from './lab-node.ts';

/** A node of kubeadm's layout, whose kubelet has no credential provider yet, and is restarted over D-Bus. */
export interface InstallingNode {
  readonly node: LabNode<'aws'>;
  readonly command: InstallCommand;
  /** To its end. */
  install(...flags: readonly string[]): Promise<RunResult>;
}

export interface InstallCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** `files` are on the host before its kubelet starts. */
export async function installingNodeFor(
  t: Test,
  files: Readonly<Record<string, string>> = {},
): Promise<InstallingNode> {
  const node = await nodeFor(t, 'aws', { plugin: 'none', serviceManager: 'systemd' });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(node.path(path)), { recursive: true });
    await writeFile(node.path(path), text);
  }
  await runKubeletAsUnit(node);
  await node.plane.kubectl(['apply', '-f', '-'], rights);
  const kubeconfig = await node.plane.kubeconfigFor('installer', []);
  const file = executablePath('polycloud-node-agent', hostArchitecture());
  const access = ['--kubeconfig', kubeconfig, '--node-name', node.name];
  const args = ['install', '--host-root', '/', '--registries', 'aws', '--restart-kubelet', ...access];
  return {
    node,
    command: { file, args },
    install: (...flags) => node.run(file, [...args, ...flags], { env: {}, input: '', timeoutMs: 200_000 }),
  };
}

/** As the guide has them. */
const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: installer}
rules:
  - {apiGroups: [''], resources: [nodes], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: installer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: installer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: installer}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: installer, namespace: kube-system}
rules:
  - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
  - {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [polycloud-install], verbs: [get, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: installer, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: installer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: installer}]
`;
