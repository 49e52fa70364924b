import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import { looksLikeKeys } from './credentials.ts';
import { endpointFor } from '../endpoints.ts';
import type { AwsCall } from '../errors.ts';
import type { AwsCredentials, AwsCredentialSources } from './credentials.ts';
import { callAws } from '../sdk-call.ts';
import type { SdkConnection } from '../sdk-call.ts';
import { createSdkTransport } from '../sdk-transport.ts';
import { preconnectTo } from '../trust.ts';

/** What we read of STS's responses. */
export interface StsCredentials {
  readonly AccessKeyId?: string | undefined;
  readonly SecretAccessKey?: string | undefined;
  readonly SessionToken?: string | undefined;
  readonly Expiration?: Date | undefined;
}

export interface StsWebIdentityToken {
  readonly WebIdentityToken?: string | undefined;
  readonly Expiration?: Date | undefined;
}

export interface StsTokenGrant {
  readonly roleArn: string;
  readonly token: Secret;
  /** The holder of the token, for messages. */
  readonly tokenOwner: string;
  readonly sessionName?: string;
}

export interface RoleGrant {
  readonly roleArn: string;
  readonly base: AwsCredentials;
  readonly externalId?: string;
  readonly sessionName?: string;
  readonly durationS?: number;
}

const defaultSessionName = 'polycloud-credential-provider';

/**
 * Exchanges a token for credentials of a role that trusts the token's issuer. The request is not signed and needs no
 * keys.
 */
export async function assumeRoleWithToken(
  grant: StsTokenGrant,
  sources: AwsCredentialSources,
): Promise<AwsCredentials> {
  const { roleArn, token, tokenOwner } = grant;
  const action = 'sts:AssumeRoleWithWebIdentity';
  return callSts<StsCredentials, AwsCredentials>(sources, {
    action,
    as: `the token of ${tokenOwner} for ${roleArn}`,
    remedyWhenDenied: `let the role's trust policy allow ${action} to this issuer, audience and subject`,
    prepare: async (connection) => {
      const { prepareWebIdentity } = await import('./sts-commands.ts');
      return prepareWebIdentity(connection, {
        RoleArn: roleArn,
        RoleSessionName: grant.sessionName ?? defaultSessionName,
        WebIdentityToken: token.reveal(),
      });
    },
    parse: (issued, target) => parseIssued(issued, `${roleArn} by the token of ${tokenOwner}`, target),
  });
}

export async function assumeRole(grant: RoleGrant, sources: AwsCredentialSources): Promise<AwsCredentials> {
  const { roleArn, base, externalId, durationS } = grant;
  const action = 'sts:AssumeRole';
  return callSts<StsCredentials, AwsCredentials>(sources, {
    action,
    as: base.source,
    remedyWhenDenied: `allow ${action} on ${roleArn} for it, and let that role's trust policy name it`,
    prepare: async (connection) => {
      const { prepareAssumeRole } = await import('./sts-commands.ts');
      return prepareAssumeRole(connection, base, {
        RoleArn: roleArn,
        RoleSessionName: grant.sessionName ?? defaultSessionName,
        ...(externalId !== undefined && { ExternalId: externalId }),
        ...(durationS !== undefined && { DurationSeconds: durationS }),
      });
    },
    parse: (issued, target) => parseIssued(issued, `${roleArn} by ${base.source}`, target),
  });
}

export interface SignedToken {
  readonly token: Secret;
  readonly expiresAtMs: number;
}

/** A token that AWS signs for the caller, and that others verify with AWS's published keys. */
export async function requestSignedToken(
  base: AwsCredentials,
  audience: string,
  sources: AwsCredentialSources,
): Promise<SignedToken> {
  const action = 'sts:GetWebIdentityToken';
  return callSts<StsWebIdentityToken, SignedToken>(sources, {
    action,
    as: base.source,
    remedyWhenDenied: `allow ${action} for it, and enable outbound web identity federation in its account`,
    prepare: async (connection) => {
      const { prepareSignedToken } = await import('./sts-commands.ts');
      // All verifiers accept RS256, and Entra accepts nothing else.
      return prepareSignedToken(connection, base, { Audience: [audience], SigningAlgorithm: 'RS256' });
    },
    parse: parseSignedToken,
  });
}

/** Opens the connection to STS before the credentials for the request are known. */
export function preconnectToSts({ settings, variant, context }: AwsCredentialSources): void {
  const endpoint = endpointFor({ ...variant, service: 'sts' }, settings.env);
  // An error in the CA bundle is reported by the request itself.
  if (endpoint !== undefined) preconnectTo(endpoint, settings, context).catch(() => {});
}

interface StsRequest<Raw, Answer> {
  readonly action: string;
  readonly as: string;
  readonly remedyWhenDenied: string;
  prepare(target: SdkConnection): Promise<() => Promise<Raw | undefined>>;
  parse(raw: Raw | undefined, target: string): Answer;
}

async function callSts<Raw, Answer>(sources: AwsCredentialSources, request: StsRequest<Raw, Answer>): Promise<Answer> {
  const { settings, variant, context } = sources;
  const endpoint = endpointFor({ ...variant, service: 'sts' }, settings.env);
  if (endpoint === undefined) {
    throw new Failure('misconfigured', `there is no STS endpoint of that kind for region ${variant.region}`, {
      remedy:
        'check AWS_ENDPOINT_URL*, AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, and the same in the profile',
    });
  }
  const transport = createSdkTransport(context, await preconnectTo(endpoint, settings, context));
  const { action, as, remedyWhenDenied } = request;
  const call: AwsCall = { target: endpoint.host, action, as, remedyWhenDenied };
  context.log.debug(`${action} at ${call.target} as ${as}`);
  const send = await request.prepare({ endpoint, region: variant.region, transport });
  return callAws(async () => request.parse(await send(), call.target), call, { transport, context });
}

function parseSignedToken(raw: StsWebIdentityToken | undefined, target: string): SignedToken {
  const { WebIdentityToken: token = '', Expiration } = raw ?? {};
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && Expiration !== undefined) {
    return { token: new Secret(token), expiresAtMs: Expiration.getTime() };
  }
  throw unusableResponse(target, 'a usable token');
}

function parseIssued(issued: StsCredentials | undefined, source: string, target: string): AwsCredentials {
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = issued ?? {};
  if (!looksLikeKeys(AccessKeyId, SecretAccessKey, SessionToken)) {
    throw unusableResponse(target, 'usable credentials');
  }
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: new Secret(SessionToken),
    ...(Expiration !== undefined && { expiresAtMs: Expiration.getTime() }),
    source,
  };
}

function unusableResponse(target: string, what: string): Failure {
  return new Failure('invalid-response', `${target} answered without ${what}`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
