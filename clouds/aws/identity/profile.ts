import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import { containerCredentials } from './container.ts';
import { looksLikeKeys } from './credentials.ts';
import { environmentKeys } from './environment.ts';
import type { AwsCredentials, AwsCredentialSources } from './credentials.ts';
import { instanceRole } from './instance-role.ts';
import { processCredentials } from './process.ts';
import { readProfiles } from './profile-settings.ts';
import type { Profile, Profiles } from './profile-settings.ts';
import { assumeRole } from './sts.ts';
import { tokenFileCredentials } from './web-identity.ts';

/** The credentials of a profile in the shared files. `undefined`: it has none (it may only name a region). */
export async function profileCredentials(
  name: string | undefined,
  sources: AwsCredentialSources,
): Promise<AwsCredentials | undefined> {
  const profiles = await readProfiles(sources.settings);
  if (name !== undefined && !Object.hasOwn(profiles, name)) throw unknownProfile(name);
  return resolveProfile(name ?? 'default', [], { profiles, sources });
}

interface ProfileLookup {
  readonly profiles: Profiles;
  readonly sources: AwsCredentialSources;
}

async function resolveProfile(
  name: string,
  visited: readonly string[],
  lookup: ProfileLookup,
): Promise<AwsCredentials | undefined> {
  const profile = Object.hasOwn(lookup.profiles, name) ? lookup.profiles[name] : undefined;
  if (profile === undefined) return undefined;
  // A profile may be its own source_profile: then its own keys are the source.
  const repeated = visited.includes(name);
  if (profile['role_arn'] && !repeated) return roleCredentials(name, profile, visited, lookup);
  if (profile['aws_access_key_id']) return profileKeys(name, profile);
  if (profile['credential_process']) {
    return processCredentials(profile['credential_process'], `profile ${name}`, lookup.sources);
  }
  if (profile['sso_session'] || profile['sso_start_url'] || profile['login_session']) throw interactiveProfile(name);
  return undefined;
}

async function roleCredentials(
  name: string,
  profile: Profile,
  visited: readonly string[],
  lookup: ProfileLookup,
): Promise<AwsCredentials> {
  const { role_arn: roleArn = '', role_session_name: sessionName, web_identity_token_file: path } = profile;
  if (path) return tokenFileCredentials({ path, roleArn, sessionName }, lookup.sources);
  if (profile['mfa_serial']) throw interactiveProfile(name);
  const base = await baseCredentials(name, profile, visited, lookup);
  const { external_id: externalId, duration_seconds: durationS } = profile;
  const grant = {
    roleArn,
    base,
    ...(sessionName && { sessionName }),
    ...(externalId && { externalId }),
    ...(durationS && /^\d{3,5}$/.test(durationS) && { durationS: Number(durationS) }),
  };
  return assumeRole(grant, lookup.sources);
}

async function baseCredentials(
  name: string,
  profile: Profile,
  visited: readonly string[],
  lookup: ProfileLookup,
): Promise<AwsCredentials> {
  const { source_profile: sourceProfile, credential_source: source } = profile;
  const found = sourceProfile
    ? await resolveProfile(sourceProfile, [...visited, name], lookup)
    : await namedSource(source, lookup.sources);
  if (found !== undefined) return found;
  throw new Failure('misconfigured', `profile ${name} has a role_arn, but no source of credentials for it`, {
    remedy: 'give it a source_profile that has credentials, or credential_source = Ec2InstanceMetadata',
  });
}

async function namedSource(
  source: string | undefined,
  sources: AwsCredentialSources,
): Promise<AwsCredentials | undefined> {
  const { env } = sources.settings;
  if (source === 'Environment') return environmentKeys(env);
  if (source === 'Ec2InstanceMetadata') return instanceRole(env, sources.context);
  if (source === 'EcsContainer') return containerCredentials(sources);
  return undefined;
}

function profileKeys(name: string, profile: Profile): AwsCredentials {
  const { aws_access_key_id: id = '', aws_secret_access_key: secret = '', aws_session_token: token } = profile;
  if (!looksLikeKeys(id, secret, token)) {
    throw new Failure('misconfigured', `the keys of profile ${name} are not keys`, {
      remedy: 'check aws_access_key_id and aws_secret_access_key',
    });
  }
  return {
    accessKeyId: id,
    secretAccessKey: new Secret(secret),
    ...(token && { sessionToken: new Secret(token) }),
    source: `keys of profile ${name}`,
  };
}

function unknownProfile(name: string): Failure {
  return new Failure(
    'misconfigured',
    `there is no profile ${name} in the shared AWS configuration and credentials files`,
    {
      remedy: 'check AWS_PROFILE, AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE',
    },
  );
}

function interactiveProfile(name: string): Failure {
  return new Failure('misconfigured', `profile ${name} needs a person to sign in`, {
    remedy: 'a node needs keys, a role with a source, or a credential_process',
  });
}
