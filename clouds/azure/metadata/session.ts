import { Failure } from '../../../lib/failure.ts';
import { ask } from '../../../lib/http/ask.ts';
import { parseHttpAddress } from '../../../lib/http/address.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';

/** For messages. */
export const metadataService = 'the instance metadata service';

const defaultBase = 'http://169.254.169.254';
/** It connects at once, but it may have to fetch a token from Entra before it responds. */
const limits = { connectMs: 1_000, totalMs: 10_000 };
/** Off Azure nothing listens there, and that is the most common reason. */
const remedyIfUnreachable =
  'off Azure give an identity by AZURE_* variables or a pod; on it let this node reach that address';

export interface MetadataOptions {
  readonly totalMs?: number;
  /** JSON, which is sent by POST. */
  readonly body?: string;
}

/** One request to the instance metadata service. It never uses a proxy; the service refuses proxied requests too. */
export async function askMetadata(
  pathAndQuery: string,
  env: Environment,
  context: Context,
  { totalMs = limits.totalMs, body }: MetadataOptions = {},
): Promise<HttpResponse> {
  const url = new URL(pathAndQuery, baseUrl(env));
  const target = `${metadataService} at ${url.host}`;
  const content =
    body === undefined
      ? ({ method: 'GET', headers: { metadata: 'true' } } as const)
      : ({ method: 'POST', headers: { metadata: 'true', 'content-type': 'application/json' }, body } as const);
  const request = { target, ...content, url, route: 'direct', remedyIfUnreachable } as const;
  const response = await ask({ ...request, limits: { ...limits, totalMs } }, context);
  if (!isOfAnotherCloud(response)) return response;
  throw new Failure('misconfigured', `what answers at ${url.host} is the metadata service of another cloud`, {
    remedy: offAzure,
  });
}

const offAzure = "give an identity by AZURE_* variables, a pod's token, or federation in the configuration";

/**
 * AWS's and Google's services have the same address. For unknown paths they return the statuses that Azure's returns
 * while it is updated, and those would be retried. https://cloud.google.com/compute/docs/metadata/querying-metadata
 */
function isOfAnotherCloud({ headers }: HttpResponse): boolean {
  return headers['server'] === 'EC2ws' || headers['metadata-flavor'] === 'Google';
}

/** The SDKs read another address from this variable. */
function baseUrl(env: Environment): URL {
  const base = parseHttpAddress(env['AZURE_POD_IDENTITY_AUTHORITY_HOST'] || defaultBase);
  if (base !== undefined) return base;
  throw new Failure('misconfigured', 'AZURE_POD_IDENTITY_AUTHORITY_HOST is not an address', {
    remedy: 'write it as http://host[:port], or unset it',
  });
}
