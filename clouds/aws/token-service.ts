import { Failure } from '../../lib/failure.ts';
import { Secret } from '../../lib/secret.ts';
import { looksLikeKeys } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { endpointFor } from './endpoints.ts';
import type { Call } from './errors.ts';
import type { Sources } from './identity.ts';
import { callAws } from './sdk-call.ts';
import type { Target } from './sdk-call.ts';
import { createSdkTransport } from './sdk-transport.ts';
import { warmTo } from './warm-to.ts';

/** What a call of STS gives back, as far as we read it. */
export interface IssuedCredentials {
  readonly AccessKeyId?: string | undefined;
  readonly SecretAccessKey?: string | undefined;
  readonly SessionToken?: string | undefined;
  readonly Expiration?: Date | undefined;
}

export interface IssuedToken {
  readonly WebIdentityToken?: string | undefined;
  readonly Expiration?: Date | undefined;
}

export interface TokenGrant {
  readonly roleArn: string;
  readonly token: Secret;
  /** Whose token, for messages. */
  readonly whose: string;
  readonly sessionName?: string;
}

export interface RoleGrant {
  readonly roleArn: string;
  readonly base: Credentials;
  readonly externalId?: string;
  readonly sessionName?: string;
  readonly durationS?: number;
}

const ownSessionName = 'polycloud-credential-provider';

/** Whoever holds the token takes on the role, if the role trusts the token's issuer. Not signed: no keys are needed. */
export async function assumeRoleWithToken(grant: TokenGrant, sources: Sources): Promise<Credentials> {
  const { roleArn, token, whose } = grant;
  const action = 'sts:AssumeRoleWithWebIdentity';
  return askTokenService<IssuedCredentials, Credentials>(sources, {
    action,
    as: `the token of ${whose} for ${roleArn}`,
    remedyWhenDenied: `let the role's trust policy allow ${action} to this issuer, audience and subject`,
    prepare: async (target) => {
      const { prepareWebIdentity } = await import('./sts.ts');
      return prepareWebIdentity(target, {
        RoleArn: roleArn,
        RoleSessionName: grant.sessionName ?? ownSessionName,
        WebIdentityToken: token.reveal(),
      });
    },
    parse: (issued, whom) => parseIssued(issued, `${roleArn} by the token of ${whose}`, whom),
  });
}

export async function assumeRole(grant: RoleGrant, sources: Sources): Promise<Credentials> {
  const { roleArn, base, externalId, durationS } = grant;
  const action = 'sts:AssumeRole';
  return askTokenService<IssuedCredentials, Credentials>(sources, {
    action,
    as: base.source,
    remedyWhenDenied: `allow ${action} on ${roleArn} for it, and let that role's trust policy name it`,
    prepare: async (target) => {
      const { prepareAssumeRole } = await import('./sts.ts');
      return prepareAssumeRole(target, base, {
        RoleArn: roleArn,
        RoleSessionName: grant.sessionName ?? ownSessionName,
        ...(externalId !== undefined && { ExternalId: externalId }),
        ...(durationS !== undefined && { DurationSeconds: durationS }),
      });
    },
    parse: (issued, whom) => parseIssued(issued, `${roleArn} by ${base.source}`, whom),
  });
}

export interface SignedToken {
  readonly token: Secret;
  readonly expiresAtMs: number;
}

/** A token that AWS signs for whoever asks, and that others check by AWS's published keys. */
export async function requestSignedToken(base: Credentials, audience: string, sources: Sources): Promise<SignedToken> {
  const action = 'sts:GetWebIdentityToken';
  return askTokenService<IssuedToken, SignedToken>(sources, {
    action,
    as: base.source,
    remedyWhenDenied: `allow ${action} for it, and enable outbound web identity federation in its account`,
    prepare: async (target) => {
      const { prepareSignedToken } = await import('./sts.ts');
      // RS256 is what every verifier understands, Entra nothing else.
      return prepareSignedToken(target, base, { Audience: [audience], SigningAlgorithm: 'RS256' });
    },
    parse: parseSignedToken,
  });
}

/** For whoever is going to ask it, but does not know yet as whom. */
export function warmTokenService({ settings, place, context }: Sources): void {
  const endpoint = endpointFor({ ...place, service: 'sts' }, settings.env);
  // What is wrong with the trust is said when it is asked.
  if (endpoint !== undefined) warmTo(endpoint, settings, context).catch(() => {});
}

interface Question<Raw, Answer> {
  readonly action: string;
  readonly as: string;
  readonly remedyWhenDenied: string;
  prepare(target: Target): Promise<() => Promise<Raw | undefined>>;
  parse(raw: Raw | undefined, whom: string): Answer;
}

async function askTokenService<Raw, Answer>(sources: Sources, question: Question<Raw, Answer>): Promise<Answer> {
  const { settings, place, context } = sources;
  const endpoint = endpointFor({ ...place, service: 'sts' }, settings.env);
  if (endpoint === undefined) {
    throw new Failure('misconfigured', `there is no STS endpoint of that kind for region ${place.region}`, {
      remedy:
        'check AWS_ENDPOINT_URL*, AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, and the same in the profile',
    });
  }
  const transport = createSdkTransport(context, await warmTo(endpoint, settings, context));
  const { action, as, remedyWhenDenied } = question;
  const call: Call = { whom: endpoint.host, action, as, remedyWhenDenied };
  context.log.verbose(`${action} at ${call.whom} as ${as}`);
  const send = await question.prepare({ endpoint, region: place.region, transport });
  return callAws(async () => question.parse(await send(), call.whom), call, { transport, context });
}

function parseSignedToken(raw: IssuedToken | undefined, whom: string): SignedToken {
  const { WebIdentityToken: token = '', Expiration } = raw ?? {};
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && Expiration !== undefined) {
    return { token: new Secret(token), expiresAtMs: Expiration.getTime() };
  }
  throw unusable(whom, 'a usable token');
}

function parseIssued(issued: IssuedCredentials | undefined, source: string, whom: string): Credentials {
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = issued ?? {};
  if (!looksLikeKeys(AccessKeyId, SecretAccessKey, SessionToken)) {
    throw unusable(whom, 'usable credentials');
  }
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: new Secret(SessionToken),
    ...(Expiration !== undefined && { expiresAtMs: Expiration.getTime() }),
    source,
  };
}

function unusable(whom: string, what: string): Failure {
  return new Failure('invalid-response', `${whom} answered without ${what}`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
