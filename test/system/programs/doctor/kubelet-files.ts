import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { provider } from '../provider.ts';
import type { FakeKubelet } from './run-doctor.ts';

/** Changes to a valid entry for the node. */
export type EntryChanges = Readonly<Record<string, unknown>>;

const rightEntry = {
  name: 'polycloud-credential-provider',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  matchImages: ['*.dkr.ecr.*.amazonaws.com', '*.azurecr.io', '*.pkg.dev', 'registry.example'],
  defaultCacheDuration: '0s',
};

export const podTokens = {
  name: 'polycloud-credential-provider-aws-pod',
  tokenAttributes: {
    serviceAccountTokenAudience: 'sts.amazonaws.com',
    cacheType: 'ServiceAccount',
    requireServiceAccount: true,
    requiredServiceAccountAnnotationKeys: ['eks.amazonaws.com/role-arn'],
  },
};

/** A kubelet with these entries and a link to our executable for each of their names. */
export function kubeletWith(directory: string, ...changes: readonly EntryChanges[]): FakeKubelet {
  const binDirectory = join(directory, 'bin');
  mkdirSync(binDirectory);
  const providers = changes.map((wish) => ({ ...rightEntry, ...wish }));
  for (const { name } of providers) symlinkSync(provider, join(binDirectory, name));
  const config = join(directory, 'credential-providers.yaml');
  const head = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig' };
  writeFileSync(config, stringify({ ...head, providers }));
  return {
    args: [`--image-credential-provider-config=${config}`, '--image-credential-provider-bin-dir', binDirectory],
  };
}
