import { Failure } from '../../../lib/failure.ts';
import { ask, askInTurn, bodyText } from '../../../lib/http/ask.ts';
import { parseHttpAddress } from '../../../lib/http/address.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import { retry } from '../../../lib/retry.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';

/**
 * Addresses, not names, so that no DNS server decides where tokens come from. The second is for nodes with IPv6 only.
 * https://cloud.google.com/compute/docs/metadata/querying-metadata
 */
const defaultBases = [new URL('http://169.254.169.254'), new URL('http://[fd20:ce::254]')] as const;
const metadataServer = 'the metadata server';
const flavor = 'Google';
const offGoogle = 'off Google let GOOGLE_APPLICATION_CREDENTIALS name a file of credentials';
/** GKE's metadata server calls IAM before it responds, which may take seconds. Connecting never does. */
const limits = { connectMs: 1_000, totalMs: 10_000 };
const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };

/** Reads below `/computeMetadata/v1/`; `undefined`: the server has no such value. */
export async function readMetadata(path: string, env: Environment, context: Context): Promise<string | undefined> {
  const read = (base: URL): Promise<string | undefined> =>
    readOnce(new URL(`/computeMetadata/v1/${path}`, base), context);
  return retry(() => askInTurn(bases(env), read), policy, context);
}

function bases(env: Environment): readonly [URL, ...URL[]] {
  const named = env['GCE_METADATA_HOST'];
  if (!named) return defaultBases;
  const url = parseHttpAddress(named.includes('://') ? named : `http://${named}`);
  if (url !== undefined) return [url];
  throw new Failure('misconfigured', 'GCE_METADATA_HOST is not an address', { remedy: 'write it as host[:port]' });
}

/**
 * One request, whatever the status. With `wait_for_change` in the query the server responds late: `totalMs` is how long
 * it may take.
 */
export async function askMetadataServer(
  pathAndQuery: string,
  env: Environment,
  context: Context,
  totalMs: number,
): Promise<HttpResponse> {
  const askAt = (base: URL): Promise<HttpResponse> =>
    askOnce(new URL(`/computeMetadata/v1/${pathAndQuery}`, base), context, totalMs);
  return askInTurn(bases(env), askAt);
}

async function askOnce(url: URL, context: Context, totalMs: number): Promise<HttpResponse> {
  const target = `${metadataServer} at ${url.host}`;
  const headers = { 'metadata-flavor': flavor };
  const response = await ask(
    {
      target,
      method: 'GET',
      url,
      headers,
      route: 'direct',
      limits: { ...limits, totalMs },
      remedyIfUnreachable: offGoogle,
    },
    context,
  );
  const passes = response.status === 429 || response.status >= 500;
  // Another server at this address, such as a captive portal or another cloud's service, is not trusted.
  if (!passes && response.headers['metadata-flavor'] !== flavor) throw wrongServer(url, response.status);
  return response;
}

async function readOnce(url: URL, context: Context): Promise<string | undefined> {
  const response = await askOnce(url, context, limits.totalMs);
  if (response.status === 200) return bodyText(response).trim();
  if (response.status === 404) return undefined;
  throw refusalFailure(response, context.clock.wallMs());
}

function wrongServer(url: URL, status: number): Failure {
  return new Failure('misconfigured', `what answers at ${url.host} (HTTP ${status}) is not Google's metadata server`, {
    remedy: offGoogle,
  });
}

/** Names the permission if the server passes on IAM's response, as GKE's does. */
function refusalFailure(response: HttpResponse, wallMs: number): Failure {
  if (response.status !== 403) return statusFailure(metadataServer, response, wallMs);
  const text = bodyText(response);
  if (!text.includes('IAM returned 403')) {
    return new Failure('denied', `${metadataServer} refused (HTTP 403)`, {
      remedy: 'check that no proxy is between this node and it',
    });
  }
  const permission = /'(?<name>iam\.serviceAccounts\.[A-Za-z]{2,40})'/.exec(text)?.groups?.['name'];
  return new Failure('denied', `${metadataServer} was denied ${permission ?? 'the service account'} by IAM`, {
    remedy:
      'grant roles/iam.workloadIdentityUser on the service account to the Kubernetes service account that runs here',
  });
}
