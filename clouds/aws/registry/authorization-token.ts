import { AwsJson1_1Protocol } from '@aws-sdk/core/protocols';
import { Sha256 } from '@smithy/core/checksum';
import { operation } from '@smithy/core/schema';
import type { TypeRegistry } from '@smithy/core/schema';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HandlerExecutionContext, StaticOperationSchema } from '@smithy/types';
import type { AwsCredentials } from '../identity/credentials.ts';
import { signingKeys, userAgent } from '../sdk-call.ts';
import type { SdkConnection } from '../sdk-call.ts';

/** One of ECR's two APIs, as its SDK describes it. */
export interface AuthorizationApi {
  readonly namespace: string;
  readonly serviceTarget: string;
  readonly signingName: string;
  readonly errors: readonly TypeRegistry[];
  readonly getAuthorizationToken: StaticOperationSchema;
}

/**
 * One request, signed with the date `wallMs`, by the SDK's model, wire format and signature. The SDK's client takes
 * longer to set up than all of these, and our caller does what it would add: retries, clock skew, the endpoint.
 */
export async function requestAuthorization(
  api: AuthorizationApi,
  { endpoint, region, transport }: SdkConnection,
  credentials: AwsCredentials,
  wallMs: number,
): Promise<object> {
  const { namespace: defaultNamespace, serviceTarget, signingName: service, errors } = api;
  const protocol = new AwsJson1_1Protocol({ defaultNamespace, serviceTarget, errorTypeRegistries: [...errors] });
  const [, ...definition] = api.getAuthorizationToken;
  const schema = operation(...definition);
  const context = contextFor(endpoint);
  const request = await protocol.serializeRequest(schema, {}, context);
  request.headers['host'] = endpoint.host;
  request.headers['user-agent'] = userAgent;
  const signer = new SignatureV4({ credentials: signingKeys(credentials), region, service, sha256: Sha256 });
  const signed = await signer.sign(request, { signingDate: new Date(wallMs) });
  const { response } = await transport.handler.handle(signed);
  try {
    return await protocol.deserializeResponse(schema, context, response);
  } catch (error) {
    // The client adds it too; status and Retry-After are read from it.
    throw Object.assign(error as Error, { $response: response });
  }
}

type ProtocolContext = Parameters<AwsJson1_1Protocol['serializeRequest']>[2] & HandlerExecutionContext;

/** What the protocol needs of a client for a request without a body. */
function contextFor({ protocol, hostname, port, pathname: path }: URL): ProtocolContext {
  const endpoint = { protocol, hostname, path, ...(port !== '' && { port: Number(port) }) };
  const context: Pick<ProtocolContext, 'endpoint'> = { endpoint: () => Promise.resolve(endpoint) };
  return context as ProtocolContext;
}
