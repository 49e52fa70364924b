import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Environment } from '../../../lib/environment.ts';
import { looksLikeKeys } from './credentials.ts';
import type { AwsCredentials } from './credentials.ts';

/** Keys in the environment. `undefined`: there are none. Half of a pair is an error. */
export function environmentKeys(env: Environment): AwsCredentials | undefined {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] || undefined;
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] || undefined;
  const sessionToken = env['AWS_SESSION_TOKEN'] || undefined;
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw unusable('only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set', 'set both, or neither');
  }
  if (!looksLikeKeys(accessKeyId, secretAccessKey, sessionToken)) {
    throw unusable('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not keys', 'check that they were copied whole');
  }
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    ...(sessionToken !== undefined && { sessionToken: new Secret(sessionToken) }),
    source: 'keys of the environment',
  };
}

function unusable(message: string, remedy: string): Failure {
  return new Failure('misconfigured', message, { remedy });
}
