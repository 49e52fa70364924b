import { Failure } from '../../../lib/failure.ts';
import { readTokenFile } from '../../../lib/token-file.ts';
import type { AwsCredentials, AwsCredentialSources } from './credentials.ts';
import { assumeRoleWithToken } from './sts.ts';

/** A token in a file, for a role: a projected service account token, or one of the host's own identity service. */
export interface TokenFile {
  readonly path: string;
  readonly roleArn: string | undefined;
  readonly sessionName: string | undefined;
}

export async function environmentWebIdentity(sources: AwsCredentialSources): Promise<AwsCredentials | undefined> {
  const { env } = sources.settings;
  const path = env['AWS_WEB_IDENTITY_TOKEN_FILE'];
  if (!path) return undefined;
  const sessionName = env['AWS_ROLE_SESSION_NAME'] || undefined;
  return tokenFileCredentials({ path, roleArn: env['AWS_ROLE_ARN'] || undefined, sessionName }, sources);
}

export async function tokenFileCredentials(file: TokenFile, sources: AwsCredentialSources): Promise<AwsCredentials> {
  const { path, roleArn, sessionName } = file;
  if (roleArn === undefined) {
    throw new Failure('misconfigured', `the token in ${path} is for no role`, {
      remedy: 'set AWS_ROLE_ARN or role_arn',
    });
  }
  const token = await readTokenFile(path, sources.settings.host, 'check AWS_WEB_IDENTITY_TOKEN_FILE');
  const grant = {
    roleArn,
    token,
    tokenOwner: path,
    ...(sessionName !== undefined && { sessionName }),
  };
  return assumeRoleWithToken(grant, sources);
}
