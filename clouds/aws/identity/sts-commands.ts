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
import type { AwsCredentials } from './credentials.ts';
import { clientSettings, fixedClientSettings } from '../sdk-call.ts';
import type { SdkConnection } from '../sdk-call.ts';
import type { StsCredentials, StsWebIdentityToken } from './sts.ts';

type Send = () => Promise<StsCredentials | undefined>;

export function prepareWebIdentity(connection: SdkConnection, input: AssumeRoleWithWebIdentityCommandInput): Send {
  const { endpoint, region, transport } = connection;
  const client = new STSClient({
    endpoint: endpoint.href,
    region,
    requestHandler: transport.handler,
    ...fixedClientSettings,
  });
  return async () => (await client.send(new AssumeRoleWithWebIdentityCommand(input))).Credentials;
}

export function prepareAssumeRole(
  connection: SdkConnection,
  base: AwsCredentials,
  input: AssumeRoleCommandInput,
): Send {
  const client = new STSClient(clientSettings(connection, base));
  return async () => (await client.send(new AssumeRoleCommand(input))).Credentials;
}

export function prepareSignedToken(
  connection: SdkConnection,
  base: AwsCredentials,
  input: GetWebIdentityTokenCommandInput,
): () => Promise<StsWebIdentityToken | undefined> {
  const client = new STSClient(clientSettings(connection, base));
  return () => client.send(new GetWebIdentityTokenCommand(input));
}
