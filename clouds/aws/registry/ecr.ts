import { GetAuthorizationToken$, errorTypeRegistries } from '@aws-sdk/client-ecr';
import type { GetAuthorizationTokenResponse } from '@aws-sdk/client-ecr';
import { requestAuthorization } from './authorization-token.ts';
import type { AwsCredentials } from '../identity/credentials.ts';
import type { SdkConnection } from '../sdk-call.ts';

const api = {
  namespace: 'com.amazonaws.ecr',
  serviceTarget: 'AmazonEC2ContainerRegistry_V20150921',
  signingName: 'ecr',
  errors: errorTypeRegistries,
  getAuthorizationToken: GetAuthorizationToken$,
};

export async function getAuthorization(
  connection: SdkConnection,
  credentials: AwsCredentials,
  wallMs: number,
): Promise<unknown> {
  const response: GetAuthorizationTokenResponse = await requestAuthorization(api, connection, credentials, wallMs);
  return response.authorizationData?.[0];
}
