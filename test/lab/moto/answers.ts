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
import { labUserKey } from '../clouds/aws/state.ts';

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface Questions {
  readonly ecrUrl: string;
  readonly stsUrl: string;
  readonly webIdentityToken: string;
}

export const operations = [
  'ecr:GetAuthorizationToken',
  'sts:AssumeRole',
  'sts:AssumeRoleWithWebIdentity',
  'sts:GetCallerIdentity',
] as const;

export type Operation = (typeof operations)[number];

/** The answers to the same requests of the real clients, as they come over the wire. */
export async function askAll({ ecrUrl, stsUrl, webIdentityToken }: Questions): Promise<Record<Operation, RawAnswer>> {
  const wire = recordingHandler();
  const options = { region: 'us-west-2', credentials: labUserKey, maxAttempts: 1, requestHandler: wire.handler };
  const ecr = new ECRClient({ ...options, endpoint: ecrUrl });
  const sts = new STSClient({ ...options, endpoint: stsUrl });
  const role = { RoleArn: 'arn:aws:iam::123456789012:role/lab-pod', RoleSessionName: 'comparison' };
  const webIdentity = { ...role, WebIdentityToken: webIdentityToken };
  return {
    'ecr:GetAuthorizationToken': await wire.answerTo(ecr.send(new GetAuthorizationTokenCommand({}))),
    'sts:AssumeRole': await wire.answerTo(sts.send(new AssumeRoleCommand(role))),
    'sts:AssumeRoleWithWebIdentity': await wire.answerTo(sts.send(new AssumeRoleWithWebIdentityCommand(webIdentity))),
    'sts:GetCallerIdentity': await wire.answerTo(sts.send(new GetCallerIdentityCommand({}))),
  };
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
  answerTo(call: Promise<unknown>): Promise<RawAnswer>;
}

/** Stands where the client has its own HTTP, and keeps what came. */
function recordingHandler(): RecordingHandler {
  let last: RawAnswer | undefined;
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
    answerTo: async (call) => {
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
