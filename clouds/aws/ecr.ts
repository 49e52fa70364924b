import { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import type { Credentials } from './credentials.ts';
import { clientSettings } from './sdk-call.ts';
import type { Target } from './sdk-call.ts';

/** One client for all attempts: it remembers how far AWS's clock is from ours. */
export function prepareAuthorization(target: Target, credentials: Credentials): () => Promise<unknown> {
  const client = new ECRClient(clientSettings(target, credentials));
  return async () => (await client.send(new GetAuthorizationTokenCommand({}))).authorizationData?.[0];
}
