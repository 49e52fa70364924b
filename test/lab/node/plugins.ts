import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';

/** The kubelet's configuration of credential providers. */
export interface PluginConfig {
  /** The entries of one CredentialProviderConfig, each as its file has it. */
  readonly providers: readonly object[];
  /** Name in an entry → the program that is started. */
  readonly programs: Readonly<Record<string, string>>;
}

export interface PluginFiles {
  readonly configDirectory: string;
  readonly programDirectory: string;
}

export const builtPlugin = executablePath('polycloud-credential-provider', hostArchitecture());

/** Ours, by the node's identity for every image of ECR: as the guide has it. */
export const nodeIdentityPlugin: PluginConfig = {
  providers: [nodeIdentityEntry(['*.dkr.ecr.*.amazonaws.com', 'public.ecr.aws'])],
  programs: { 'polycloud-credential-provider': builtPlugin },
};

export function nodeIdentityEntry(matchImages: readonly string[]): object {
  return {
    name: 'polycloud-credential-provider',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    defaultCacheDuration: '0s',
    matchImages,
  };
}

/** Ours, by the identity of the pod's service account. The name is that of a link to the program. */
export function podIdentityEntry(name: string, matchImages: readonly string[]): object {
  return {
    ...nodeIdentityEntry(matchImages),
    name,
    tokenAttributes: {
      serviceAccountTokenAudience: 'sts.amazonaws.com',
      cacheType: 'ServiceAccount',
      requireServiceAccount: true,
      requiredServiceAccountAnnotationKeys: ['eks.amazonaws.com/role-arn'],
      optionalServiceAccountAnnotationKeys: ['eks.amazonaws.com/ecr-role-arn'],
    },
  };
}

/** The kubelet's flags: for existing files, or for files that are written here. */
export async function preparePlugins(
  directory: string,
  plugin: PluginConfig | PluginFiles | 'none',
): Promise<PluginFiles | undefined> {
  if (plugin === 'none') return undefined;
  return 'providers' in plugin ? writePluginFiles(directory, plugin) : plugin;
}

async function writePluginFiles(directory: string, config: PluginConfig): Promise<PluginFiles> {
  const files = { configDirectory: join(directory, 'plugin-config'), programDirectory: join(directory, 'plugins') };
  await Promise.all(Object.values(files).map((path) => mkdir(path)));
  await writeConfig(files, config.providers);
  const links = Object.entries(config.programs);
  const missing = links.map(([, program]) => program).filter((program) => !existsSync(program));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} is not there; \`npm run build\` makes what is ours`);
  await Promise.all(links.map(([name, program]) => symlink(program, join(files.programDirectory, name))));
  return files;
}

async function writeConfig({ configDirectory }: PluginFiles, providers: readonly object[]): Promise<void> {
  const config = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers };
  await writeFile(join(configDirectory, '10-lab.yaml'), stringify(config));
}
