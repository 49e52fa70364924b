import { Failure } from '../../../lib/failure.ts';
import type { CloudSettings, Identity } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import { keys } from '../../../schemas/keys.ts';
import { containerCredentials, hasContainerEndpoint } from './container.ts';
import type { AwsCredentials, AwsCredentialSources } from './credentials.ts';
import type { EndpointVariant } from '../endpoints.ts';
import { environmentKeys } from './environment.ts';
import { instanceRole } from './instance-role.ts';
import { profileCredentials } from './profile.ts';
import { assumeRole, assumeRoleWithToken, preconnectToSts } from './sts.ts';
import { environmentWebIdentity } from './web-identity.ts';

export function credentialsFor(
  as: Identity,
  variant: EndpointVariant,
  settings: CloudSettings<AwsConfig>,
  context: Context,
): Promise<AwsCredentials> {
  const sources: AwsCredentialSources = { settings, variant, context };
  if (as.kind === 'node') return nodeRoleCredentials(as, sources);
  const roleArn = annotatedRole(as.role, settings.config.roleAnnotations);
  return assumeRoleWithToken({ roleArn, token: as.token, tokenOwner: "the pod's service account" }, sources);
}

async function nodeRoleCredentials(
  { select, role }: Identity & { readonly kind: 'node' },
  sources: AwsCredentialSources,
): Promise<AwsCredentials> {
  if (role === undefined) return nodeCredentials(select, sources);
  const roleArn = configuredRole(role, sources.settings.config.roleAnnotations);
  const externalId = role[keys.awsExternalId];
  const pending = nodeCredentials(select, sources);
  preconnectToSts(sources);
  const base = await pending;
  return assumeRole({ roleArn, base, ...(externalId !== undefined && { externalId }) }, sources);
}

/** The order of the SDKs. A profile that is selected by name comes first, and nothing else is tried after it. */
async function nodeCredentials(profile: string | undefined, sources: AwsCredentialSources): Promise<AwsCredentials> {
  const { env } = sources.settings;
  if (profile !== undefined) return requireProfile(profile, sources);
  return (
    environmentKeys(env) ??
    (await environmentWebIdentity(sources)) ??
    (await profileCredentials(env['AWS_PROFILE'] || undefined, sources)) ??
    (hasContainerEndpoint(env) ? containerCredentials(sources) : instanceRole(env, sources.context))
  );
}

async function requireProfile(profile: string, sources: AwsCredentialSources): Promise<AwsCredentials> {
  const found = await profileCredentials(profile, sources);
  if (found !== undefined) return found;
  throw new Failure('misconfigured', `profile ${profile} of the AWS configuration says nothing about credentials`, {
    remedy: 'give it keys, a role_arn or a credential_process',
  });
}

const arnPattern = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;

type RoleAnnotations = Readonly<Record<string, string>>;

/**
 * A pod's identity is the role that its service account names. Without a role it fails; the node's identity is never
 * used instead.
 */
function annotatedRole(annotations: RoleAnnotations, allowed: readonly string[]): string {
  const key = allowed.find((candidate) => annotations[candidate]);
  if (key === undefined) {
    throw new Failure('misconfigured', "the pod's service account names no AWS role", {
      remedy: `annotate it with ${allowed[0]}: <role ARN>, and list the key in tokenAttributes of the CredentialProviderConfig`,
    });
  }
  return checkArn(annotations[key] ?? '', `annotation ${key} of the pod's service account`);
}

function configuredRole(role: RoleAnnotations, allowed: readonly string[]): string {
  const key = allowed.find((candidate) => role[candidate]);
  if (key !== undefined) return checkArn(role[key] ?? '', `${key} in the configuration's role`);
  throw new Failure('misconfigured', 'the role that the configuration gives the node names no AWS role', {
    remedy: `write ${allowed[0]}: <role ARN> in it`,
  });
}

function checkArn(arn: string, what: string): string {
  if (arnPattern.test(arn)) return arn;
  throw new Failure('misconfigured', `${what} is not the ARN of an IAM role`, {
    remedy: 'write it as arn:aws:iam::<account>:role/<name>',
  });
}
