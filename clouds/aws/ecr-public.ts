import { ECRPUBLICClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr-public';
import type { Credentials } from './credentials.ts';
import { clientSettings } from './sdk-call.ts';
import type { Target } from './sdk-call.ts';

export function prepareAuthorization(target: Target, credentials: Credentials): () => Promise<unknown> {
  const client = new ECRPUBLICClient(clientSettings(target, credentials));
  return async () => (await client.send(new GetAuthorizationTokenCommand({}))).authorizationData;
}
