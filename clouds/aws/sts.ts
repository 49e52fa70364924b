import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  GetWebIdentityTokenCommand,
  STSClient,
} from '@aws-sdk/client-sts';
import type {
  AssumeRoleCommandInput,
  AssumeRoleWithWebIdentityCommandInput,
  GetWebIdentityTokenCommandInput,
} from '@aws-sdk/client-sts';
import type { Credentials } from './credentials.ts';
import { clientSettings, quietSettings } from './sdk-call.ts';
import type { Target } from './sdk-call.ts';
import type { IssuedCredentials, IssuedToken } from './token-service.ts';

type Send = () => Promise<IssuedCredentials | undefined>;

export function prepareWebIdentity(target: Target, input: AssumeRoleWithWebIdentityCommandInput): Send {
  const { endpoint, region, transport } = target;
  const client = new STSClient({
    endpoint: endpoint.href,
    region,
    requestHandler: transport.handler,
    ...quietSettings,
  });
  return async () => (await client.send(new AssumeRoleWithWebIdentityCommand(input))).Credentials;
}

export function prepareAssumeRole(target: Target, base: Credentials, input: AssumeRoleCommandInput): Send {
  const client = new STSClient(clientSettings(target, base));
  return async () => (await client.send(new AssumeRoleCommand(input))).Credentials;
}

export function prepareSignedToken(
  target: Target,
  base: Credentials,
  input: GetWebIdentityTokenCommandInput,
): () => Promise<IssuedToken | undefined> {
  const client = new STSClient(clientSettings(target, base));
  return () => client.send(new GetWebIdentityTokenCommand(input));
}
