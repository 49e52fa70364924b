import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  GetCallerIdentityCommand,
  STSClient,
} from '@aws-sdk/client-sts';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { labUserKey } from '../clouds/aws/state.ts';

export interface AwsResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface AwsRequests {
  readonly ecrUrl: string;
  readonly stsUrl: string;
  readonly ec2Url: string;
  /** Of an instance that is there. */
  readonly instanceId: string;
  readonly webIdentityToken: string;
}

export const operations = [
  'ec2:DescribeInstances',
  'ec2:DescribeInstances of an unknown id',
  'ecr:GetAuthorizationToken',
  'sts:AssumeRole',
  'sts:AssumeRoleWithWebIdentity',
  'sts:GetCallerIdentity',
] as const;

export type Operation = (typeof operations)[number];

/** The answers to the same requests of the real clients, as they come over the wire. */
export async function sendAll(requests: AwsRequests): Promise<Record<Operation, AwsResponse>> {
  const { ecrUrl, stsUrl, ec2Url, instanceId, webIdentityToken } = requests;
  const describe = { Action: 'DescribeInstances', 'InstanceId.1': instanceId };
  const wire = recordingHandler();
  const options = { region: 'us-west-2', credentials: labUserKey, maxAttempts: 1, requestHandler: wire.handler };
  const ecr = new ECRClient({ ...options, endpoint: ecrUrl });
  const sts = new STSClient({ ...options, endpoint: stsUrl });
  const role = { RoleArn: 'arn:aws:iam::123456789012:role/lab-pod', RoleSessionName: 'comparison' };
  const webIdentity = { ...role, WebIdentityToken: webIdentityToken };
  return {
    'ec2:DescribeInstances': await callEc2(ec2Url, describe),
    'ec2:DescribeInstances of an unknown id': await callEc2(ec2Url, { ...describe, 'InstanceId.1': unknownId }),
    'ecr:GetAuthorizationToken': await wire.responseTo(ecr.send(new GetAuthorizationTokenCommand({}))),
    'sts:AssumeRole': await wire.responseTo(sts.send(new AssumeRoleCommand(role))),
    'sts:AssumeRoleWithWebIdentity': await wire.responseTo(sts.send(new AssumeRoleWithWebIdentityCommand(webIdentity))),
    'sts:GetCallerIdentity': await wire.responseTo(sts.send(new GetCallerIdentityCommand({}))),
  };
}

const unknownId = 'i-00000000000000aaa';

/** EC2's client is not among our packages; its protocol is a form, signed. */
export async function callEc2(url: string, parameters: Readonly<Record<string, string>>): Promise<AwsResponse> {
  const { protocol, hostname, port, host } = new URL(url);
  const body = new URLSearchParams({ ...parameters, Version: '2016-11-15' }).toString();
  const signer = new SignatureV4({ credentials: labUserKey, region: 'us-west-2', service: 'ec2', sha256: Sha256 });
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  const signed = await signer.sign({ method: 'POST', protocol, hostname, path: '/', headers, body });
  const request = { hostname, port: Number(port), path: '/', method: 'POST', headers: signed.headers, body };
  const response = await transmit(request);
  const contentType = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, contentType, body: await text(response) };
}

/** Of a client's own types, as much as is used here. */
interface SdkRequest {
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface RecordingHandler {
  readonly handler: Record<string, unknown>;
  responseTo(call: Promise<unknown>): Promise<AwsResponse>;
}

/** Stands where the client has its own HTTP, and keeps what came. */
function recordingHandler(): RecordingHandler {
  let last: AwsResponse | undefined;
  return {
    handler: {
      metadata: { handlerProtocol: 'http/1.1' },
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
      handle: async (request: SdkRequest) => {
        const response = await transmit(request);
        const body = await text(response);
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        );
        const statusCode = response.statusCode ?? 0;
        last = { status: statusCode, contentType: headers['content-type'] ?? '', body };
        return { response: { statusCode, headers, body: Buffer.from(body) } };
      },
    },
    responseTo: async (call) => {
      await call;
      if (!last) throw new Error('The client made no request');
      return last;
    },
  };
}

async function transmit({ hostname, port, path, method, headers, body }: SdkRequest): Promise<IncomingMessage> {
  const sent = httpRequest({ hostname, port, path, method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
