import type { RegistryRuntime } from '../../lib/registry-login/resolve-registry.ts';

/** The region of whoever has not said one: the environment's, else that of the profile. `undefined`: neither names one. */
export async function regionOf({ env, host }: RegistryRuntime): Promise<string | undefined> {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  if (named) return named;
  const { loadSharedConfigFiles } = await import('@smithy/core/config');
  const { configFile } = await loadSharedConfigFiles({
    configFilepath: env['AWS_CONFIG_FILE'] || `${host.homeDirectory}/.aws/config`,
    filepath: env['AWS_SHARED_CREDENTIALS_FILE'] || `${host.homeDirectory}/.aws/credentials`,
    ignoreCache: true,
  });
  const profile = env['AWS_PROFILE'] || 'default';
  return configFile[profile]?.['region'] || undefined;
}
