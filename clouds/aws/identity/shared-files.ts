import type { CloudSettings } from '../../cloud.ts';
import type { AwsConfig } from '../config.ts';

export type Profile = Readonly<Record<string, string | undefined>>;
export type Profiles = Readonly<Record<string, Profile | undefined>>;

/** Both shared files as one; for a profile that is in both, the credentials file wins key by key. */
export async function readProfiles({ env, host }: CloudSettings<AwsConfig>): Promise<Profiles> {
  const configFilepath = env['AWS_CONFIG_FILE'] || `${host.homeDirectory}/.aws/config`;
  const filepath = env['AWS_SHARED_CREDENTIALS_FILE'] || `${host.homeDirectory}/.aws/credentials`;
  // The SDK's reader takes a file that it may not read for one that is not there; ours tells the two apart.
  const texts = await Promise.all([host.readText(configFilepath), host.readText(filepath)]);
  if (texts.every((text) => text === undefined)) return {};
  const { loadSharedConfigFiles } = await import('@smithy/core/config');
  const { configFile, credentialsFile } = await loadSharedConfigFiles({ configFilepath, filepath, ignoreCache: true });
  const names = new Set([...Object.keys(configFile), ...Object.keys(credentialsFile)]);
  return Object.fromEntries([...names].map((name) => [name, { ...configFile[name], ...credentialsFile[name] }]));
}
