import { GetAuthorizationToken$, errorTypeRegistries } from '@aws-sdk/client-ecr-public';
import type { GetAuthorizationTokenResponse } from '@aws-sdk/client-ecr-public';
import { askForAuthorization } from './authorization-call.ts';
import type { Credentials } from './credentials.ts';
import type { Target } from './sdk-call.ts';

const api = {
  namespace: 'com.amazonaws.ecrpublic',
  serviceTarget: 'SpencerFrontendService',
  signingName: 'ecr-public',
  errors: errorTypeRegistries,
  getAuthorizationToken: GetAuthorizationToken$,
};

export async function getAuthorization(target: Target, credentials: Credentials, wallMs: number): Promise<unknown> {
  const answer: GetAuthorizationTokenResponse = await askForAuthorization(api, target, credentials, wallMs);
  return answer.authorizationData;
}
