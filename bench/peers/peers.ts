import { fileURLToPath } from 'node:url';
import type { GoModule } from '../../build/go-programs/go-module.ts';

export type PeerName =
  | 'acr-credential-provider'
  | 'aws-cloud-controller-manager'
  | 'aws-node-termination-handler'
  | 'cloud-controller-manager'
  | 'cloud-node-manager'
  | 'ecr-credential-provider';

/** The programs of others that ours are measured against, by the Go modules of ours that pin what builds them. */
export const peerModules: readonly GoModule[] = [
  {
    name: 'cloud-provider-aws',
    version: '1.37.0',
    acceptedVersion: /^1\.37\.0$/,
    directory: modulesDirectory('aws'),
    linkerFlags: linkerFlags('1.37.0', ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version', 'main']),
    packages: {
      'aws-cloud-controller-manager': 'k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager',
      'ecr-credential-provider': 'k8s.io/cloud-provider-aws/cmd/ecr-credential-provider',
    },
    versionArguments: {},
  },
  {
    name: 'cloud-provider-azure',
    version: '1.32.4',
    acceptedVersion: /^1\.32\.4$/,
    directory: modulesDirectory('azure'),
    linkerFlags: linkerFlags('1.32.4', ['sigs.k8s.io/cloud-provider-azure/pkg/version']),
    packages: {
      'acr-credential-provider': 'sigs.k8s.io/cloud-provider-azure/cmd/acr-credential-provider',
      'cloud-controller-manager': 'sigs.k8s.io/cloud-provider-azure/cmd/cloud-controller-manager',
      'cloud-node-manager': 'sigs.k8s.io/cloud-provider-azure/cmd/cloud-node-manager',
    },
    versionArguments: {},
  },
  {
    name: 'aws-node-termination-handler',
    version: '1.25.1',
    acceptedVersion: /^1\.25\.1$/,
    directory: modulesDirectory('aws-termination-handler'),
    linkerFlags: '-s -w',
    packages: { 'aws-node-termination-handler': 'github.com/aws/aws-node-termination-handler/cmd' },
    versionArguments: { 'aws-node-termination-handler': 'none' },
  },
];

function modulesDirectory(name: string): string {
  return fileURLToPath(new URL(`modules/${name}`, import.meta.url));
}

/** As in their own release builds: without it a program has the version v0.0.0. */
function linkerFlags(version: string, packages: readonly string[]): string {
  return ['-s -w', ...packages.map((name) => `-X ${name}.gitVersion=v${version}`)].join(' ');
}
