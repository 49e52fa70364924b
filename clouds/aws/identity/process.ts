import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { Secret } from '../../../lib/secret.ts';
import { looksLikeKeys } from './credentials.ts';
import type { AwsCredentials, AwsCredentialSources } from './credentials.ts';
import { ProcessCredentials } from '../schemas.ts';

/**
 * A program of the operator prints keys:
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
 */
export async function processCredentials(
  commandLine: string,
  owner: string,
  sources: AwsCredentialSources,
): Promise<AwsCredentials> {
  const source = `credential_process of ${owner}`;
  const output = await sources.settings.host.runCommand(commandLine, sources.context.signal).catch((cause: unknown) => {
    throw new Failure('misconfigured', `${source} failed${exitText(cause)}`, {
      remedy: 'run it by hand as the same user and read its output',
    });
  });
  return parseProcessCredentials(output, source);
}

export function parseProcessCredentials(output: string, source: string): AwsCredentials {
  const parsed = ProcessCredentials.safeParse(parseJson(output));
  if (!parsed.success || !usable(parsed.data)) {
    throw new Failure('misconfigured', `${source} printed no usable credentials`, {
      remedy: 'it must print one JSON object with Version 1, AccessKeyId and SecretAccessKey',
    });
  }
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = parsed.data;
  const expiresAtMs = Date.parse(Expiration ?? '');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    ...(SessionToken && { sessionToken: new Secret(SessionToken) }),
    ...(!Number.isNaN(expiresAtMs) && { expiresAtMs }),
    source,
  };
}

function usable({ AccessKeyId, SecretAccessKey, SessionToken }: ProcessCredentials): boolean {
  return looksLikeKeys(AccessKeyId, SecretAccessKey, SessionToken || undefined);
}

function exitText(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number'
    ? ` with exit code ${cause.code}`
    : '';
}
