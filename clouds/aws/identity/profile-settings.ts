import type { Environment } from '../../../lib/environment.ts';
import { Failure } from '../../../lib/failure.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import { endpointVariables, globalEndpointVariable } from '../endpoints.ts';
import type { CloudSettings } from '../../cloud.ts';

type AwsSettings = CloudSettings<AwsConfig>;

/**
 * The settings, with the endpoints and trust of the profile in use added to the environment. Variables that are set
 * take precedence: https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
 */
export async function withProfileSettings(settings: AwsSettings, select: string | undefined): Promise<AwsSettings> {
  const { env } = settings;
  const name = select ?? (env['AWS_PROFILE'] || 'default');
  const profiles = await readProfiles(settings);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) return settings;
  const services = profiles[`services.${profile['services']}`] ?? {};
  const profileVariables = {
    ...switches(name, profile),
    ...endpoints(profile, services, env),
    AWS_CA_BUNDLE: profile['ca_bundle'],
  };
  const added = Object.entries(profileVariables).filter(([variable, value]) => value && !env[variable]);
  return { ...settings, env: { ...env, ...Object.fromEntries(added) } };
}

const switchKeys: Readonly<Record<string, string>> = {
  AWS_USE_FIPS_ENDPOINT: 'use_fips_endpoint',
  AWS_USE_DUALSTACK_ENDPOINT: 'use_dualstack_endpoint',
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'ignore_configured_endpoint_urls',
};

/** After a typing error in `true`, requests must not go to a plain endpoint instead of a FIPS one. */
function switches(name: string, profile: Profile): Environment {
  const values = Object.entries(switchKeys).map(([variable, key]) => [variable, switchOf(name, key, profile[key])]);
  return Object.fromEntries(values) as Environment;
}

function switchOf(name: string, key: string, value: string | undefined): string | undefined {
  if (value === undefined || /^(?:true|false)$/i.test(value)) return value;
  throw new Failure('misconfigured', `${key} of profile ${name} in the AWS configuration is neither true nor false`, {
    remedy: 'write true or false',
  });
}

/** An endpoint for all services in the environment takes precedence over one for a single service in the profile. */
function endpoints(profile: Profile, services: Profile, env: Environment): Environment {
  const bySection = Object.entries(endpointVariables).map(([service, variable]) => [
    variable,
    services[`${service.replaceAll('-', '_')}.endpoint_url`],
  ]);
  const forServices = env[globalEndpointVariable] ? {} : (Object.fromEntries(bySection) as Environment);
  return { ...forServices, [globalEndpointVariable]: profile['endpoint_url'] };
}

export type Profile = Readonly<Record<string, string | undefined>>;
export type Profiles = Readonly<Record<string, Profile | undefined>>;

/** Both shared files as one. For a profile in both, each key of the credentials file takes precedence. */
export async function readProfiles({ env, host }: CloudSettings<AwsConfig>): Promise<Profiles> {
  const configFilepath = env['AWS_CONFIG_FILE'] || `${host.homeDirectory}/.aws/config`;
  const filepath = env['AWS_SHARED_CREDENTIALS_FILE'] || `${host.homeDirectory}/.aws/credentials`;
  // The SDK's reader treats an unreadable file as absent; ours fails.
  const texts = await Promise.all([host.readText(configFilepath), host.readText(filepath)]);
  if (texts.every((text) => text === undefined)) return {};
  const { loadSharedConfigFiles } = await import('@smithy/core/config');
  const { configFile, credentialsFile } = await loadSharedConfigFiles({ configFilepath, filepath, ignoreCache: true });
  const names = new Set([...Object.keys(configFile), ...Object.keys(credentialsFile)]);
  return Object.fromEntries([...names].map((name) => [name, { ...configFile[name], ...credentialsFile[name] }]));
}
