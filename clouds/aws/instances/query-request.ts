import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Context } from '../../../lib/context.ts';
import { Failure } from '../../../lib/failure.ts';
import { apiRequest, ask, bodyText } from '../../../lib/http/ask.ts';
import { clockSkewMs } from '../../../lib/http/clock-skew.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import type { AwsCredentials } from '../identity/credentials.ts';
import { readXml, textAt } from './xml.ts';
import type { XmlElement } from './xml.ts';
import { signingKeys, userAgent } from '../sdk-call.ts';

/** An API of AWS's query protocol, and the caller. */
export interface QueryApi {
  readonly service: 'ec2' | 'sts';
  readonly endpoint: URL;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** PEM certificates that replace all other trust. */
  readonly trustOnly: string | undefined;
}

export type QueryParameters = Readonly<Record<string, string>>;

export type QueryResponse =
  | { readonly is: 'answer'; readonly body: string }
  /** `skewMs`: how far AWS's clock is ahead of ours, by the date of this response. */
  | { readonly is: 'refusal'; readonly error: QueryError; readonly skewMs: number };

const versions = { ec2: '2016-11-15', sts: '2011-06-15' };
/**
 * Hundreds of instances with many addresses each are tens of megabytes. A look-up has 30 s: when a request hangs, there
 * is time left to ask for smaller parts, and the results of other requests are not lost.
 */
const limits = { connectMs: 5_000, totalMs: 12_000, bodyBytes: 64_000_000 };

/** One request without retries, signed with the date `wallMs`. Throws a `Failure` if there is no whole response. */
export async function sendQuery(
  api: QueryApi,
  parameters: QueryParameters,
  wallMs: number,
  context: Context,
): Promise<QueryResponse> {
  const body = new URLSearchParams({ ...parameters, Version: versions[api.service] }).toString();
  const headers = await sign(api, body, wallMs);
  const response = await send(api, { body, headers }, context);
  if (response.status === 200) return { is: 'answer', body: bodyText(response) };
  const skewMs = clockSkewMs(response, context.clock.wallMs()) ?? 0;
  return { is: 'refusal', error: parseQueryError(response), skewMs };
}

async function sign(
  { service, endpoint, region, credentials }: QueryApi,
  body: string,
  wallMs: number,
): Promise<Record<string, string>> {
  const signer = new SignatureV4({ credentials: signingKeys(credentials), region, service, sha256: Sha256 });
  const { protocol, hostname, host, pathname: path } = endpoint;
  const headers = {
    host,
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    'user-agent': userAgent,
  };
  const request = { method: 'POST', protocol, hostname, path, headers, body };
  return { ...(await signer.sign(request, { signingDate: new Date(wallMs) })).headers };
}

interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function send({ endpoint, trustOnly }: QueryApi, signed: SignedRequest, context: Context): Promise<HttpResponse> {
  const leftMs = context.deadlineAtMs - context.clock.monotonicMs();
  if (leftMs <= 0) throw outOfTime(endpoint);
  return ask(
    {
      ...apiRequest,
      target: endpoint.host,
      method: 'POST',
      url: endpoint,
      ...signed,
      ...(trustOnly !== undefined && { trustOnly }),
      limits: { ...limits, totalMs: Math.min(limits.totalMs, Math.ceil(leftMs)) },
    },
    context,
  );
}

function outOfTime(endpoint: URL): Failure {
  return new Failure('unavailable', `no time was left for a request to ${endpoint.host}`, {
    remedy: 'it is retried; if this stays, an earlier step is slow',
  });
}

/** A refusal in the form of the SDK's errors, which errors.ts reads: the code is its name. */
export interface QueryError extends Error {
  readonly $response: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> };
}

const errorNames = new Set(['Response', 'Errors', 'ErrorResponse', 'Error', 'Code', 'Message']);

/** EC2 returns `Response/Errors/Error`, the other services of this protocol `ErrorResponse/Error`. */
export function parseQueryError({ status, headers, body }: HttpResponse): QueryError {
  const root = readXml(Buffer.from(body).toString('utf8'), errorNames);
  const error = firstError(root);
  const cause = new Error(textAt(error, 'Message') ?? '');
  cause.name = textAt(error, 'Code') ?? 'Unknown';
  return Object.assign(cause, { $response: { statusCode: status, headers } });
}

function firstError(root: XmlElement | undefined): XmlElement | undefined {
  const parent = root?.name === 'Response' ? root.children.find(({ name }) => name === 'Errors') : root;
  return parent?.children.find(({ name }) => name === 'Error');
}
