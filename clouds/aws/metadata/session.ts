import { Failure } from '../../../lib/failure.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { ask, askInTurn, bodyText } from '../../../lib/http/ask.ts';
import { parseHttpAddress } from '../../../lib/http/address.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import { retry } from '../../../lib/retry.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { isOn } from '../endpoints.ts';

/**
 * The instance metadata service, version 2 only: version 1 returns the role's keys to any GET that the node is made to
 * send.
 */
export interface MetadataSession {
  /** `undefined`: the service has no such value. */
  read(path: string): Promise<string | undefined>;
}

const metadataService = 'the instance metadata service';
const accessRemedy =
  'let this node use it: HttpEndpoint enabled, and a hop limit of 2 or more if we run in a container';
/** Off AWS nothing listens there, and that is the most common reason. */
const remedyIfUnreachable = `off AWS give credentials by the environment or a profile; on it ${accessRemedy}`;
const ipv6Base = new URL('http://[fd00:ec2::254]');
const defaultBases = [new URL('http://169.254.169.254'), ipv6Base] as const;
const sessionLifeS = 300;
const tokenPattern = /^[\x21-\x7e]{1,4096}$/;
/** It is on the same machine, so it responds within milliseconds or not at all. */
const limits = { connectMs: 1_000, totalMs: 5_000 };
const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };

export async function openMetadata(env: Environment, context: Context): Promise<MetadataSession> {
  if (isOn(env['AWS_EC2_METADATA_DISABLED'])) {
    throw new Failure('misconfigured', 'no AWS credentials, and AWS_EC2_METADATA_DISABLED is set', {
      remedy: 'unset it, or give credentials by the environment or a profile',
    });
  }
  const session = await retry(() => requestSession(env, context), policy, context);
  return { read: (path) => retry(() => readPath(session, path, context), policy, context) };
}

/** For what only the metadata service has. */
export function refuseDisabled(env: Environment): void {
  if (!isOn(env['AWS_EC2_METADATA_DISABLED'])) return;
  throw new Failure('misconfigured', 'the instance metadata cannot be read: AWS_EC2_METADATA_DISABLED is set', {
    remedy: 'unset it for this program',
  });
}

/** For callers that read again and again. Neither this nor `readPath` retries. */
export function requestSession(env: Environment, context: Context): Promise<SessionToken> {
  return askInTurn(bases(env), async (base) => ({
    base,
    token: await requestToken(base, context),
    endsAtMs: context.clock.monotonicMs() + sessionLifeS * 1_000,
  }));
}

export interface SessionToken {
  readonly base: URL;
  readonly token: string;
  /** On the monotonic clock. */
  readonly endsAtMs: number;
}

function bases(env: Environment): readonly [URL, ...URL[]] {
  const endpoint = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'];
  if (!endpoint) {
    return env['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE']?.toLowerCase() === 'ipv6' ? [ipv6Base] : defaultBases;
  }
  const url = parseHttpAddress(endpoint);
  if (url !== undefined) return [url];
  throw new Failure('misconfigured', 'AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address', {
    remedy: 'write it as http://host[:port]',
  });
}

async function requestToken(base: URL, context: Context): Promise<string> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(sessionLifeS) };
  const response = await send(new URL('/latest/api/token', base), { method: 'PUT', headers }, context);
  if ([400, 403, 404, 405].includes(response.status)) {
    throw new Failure('denied', `${metadataService} refused a version 2 session (HTTP ${response.status})`, {
      remedy: accessRemedy,
    });
  }
  const token = bodyText(response).trim();
  if (response.status === 200 && tokenPattern.test(token)) return token;
  throw statusFailure(metadataService, response, context.clock.wallMs());
}

/** `undefined`: the service has no such value. A `Failure` of kind `denied`: the session has ended. */
export async function readPath(
  { base, token }: SessionToken,
  path: string,
  context: Context,
): Promise<string | undefined> {
  const headers = { 'x-aws-ec2-metadata-token': token };
  const response = await send(new URL(`/latest/${path}`, base), { method: 'GET', headers }, context);
  if (response.status === 404) return undefined;
  if (response.status === 200) return withoutToken(bodyText(response).trim(), token);
  throw statusFailure(metadataService, response, context.clock.wallMs());
}

/** No value contains our session token. A response that does must not get into a message. */
function withoutToken(body: string, token: string): string {
  if (!body.includes(token)) return body;
  throw new Failure('invalid-response', `${metadataService} answered with its own session token`, {
    remedy: 'check that nothing else answers in its place',
  });
}

/** Credentials could come from elsewhere, and the remedy says so. What a Node needs cannot. */
export function withNodeRemedy({ kind, message, remedy, retryAfterMs, cause }: Failure): Failure {
  return new Failure(kind, message, {
    remedy: remedy.replace(/^off AWS .*?; on it /, ''),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  });
}

interface MetadataRequest {
  readonly method: 'GET' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
}

async function send(url: URL, { method, headers }: MetadataRequest, context: Context): Promise<HttpResponse> {
  const target = `${metadataService} at ${url.host}`;
  // A second session does no harm.
  const options = { route: 'direct', repeatable: true, limits, remedyIfUnreachable } as const;
  return ask({ target, method, url, headers, ...options }, context);
}
