import { Failure } from '../../../lib/failure.ts';
import { isSkewed, skewText } from '../../../lib/http/clock-skew.ts';
import type { CloudSettings } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { AwsCredentials } from '../identity/credentials.ts';
import { endpointFor } from '../endpoints.ts';
import { awsFailure, isClockSkew } from '../errors.ts';
import type { AwsCall } from '../errors.ts';
import { credentialsFor } from '../identity/resolve-identity.ts';
import { createCredentialCache } from '../../../lib/credential-cache.ts';
import type { InstanceScope } from './scopes.ts';
import { openMetadata } from '../metadata/session.ts';
import { withProfileSettings } from '../identity/profile-settings.ts';
import { sendQuery } from './query-request.ts';
import type { QueryApi, QueryError, QueryParameters, QueryResponse } from './query-request.ts';
import { assumeRole } from '../identity/sts.ts';
import { readCaBundle } from '../trust.ts';

/** One scope's account and region, for many calls. It keeps the credentials and the clock skew. */
export interface AccountSession {
  /** Throws a `Failure` if there is no whole response. */
  request(service: QueryApi['service'], parameters: QueryParameters, context: Context): Promise<SessionResponse>;
}

export type SessionResponse =
  | { readonly is: 'answer'; readonly body: string; readonly target: string }
  | { readonly is: 'refusal'; readonly error: QueryError; readonly failure: Failure };

const ccmSessionName = 'polycloud-ccm';

export function openAccountSession(scope: InstanceScope, given: CloudSettings<AwsConfig>): AccountSession {
  const effectiveSettings = (): Promise<CloudSettings<AwsConfig>> => withProfileSettings(given, scope.config?.profile);
  const region = createRegionResolver(scope.region, given);
  const credentials = createCredentialCache(async (context) => loadCredentials(scope, await region(context), context));
  let skewMs = 0;

  async function loadCredentials(from: InstanceScope, regionName: string, context: Context): Promise<AwsCredentials> {
    const { profile, roleArn } = from.config ?? {};
    const variant = { region: regionName, fips: false, dualStack: false };
    const as = { kind: 'node' as const, ...(profile !== undefined && { select: profile }) };
    const settings = await effectiveSettings();
    const base = await credentialsFor(as, variant, settings, context);
    return roleArn === undefined
      ? base
      : assumeRole({ roleArn, base, sessionName: ccmSessionName }, { settings, variant, context });
  }

  /**
   * When AWS refuses the date, its response has shown AWS's time: the request is signed with that and sent once more.
   */
  async function send(api: QueryApi, parameters: QueryParameters, context: Context): Promise<SessionResponse> {
    const signedAheadMs = skewMs;
    const response = await sendOnce(api, parameters, context);
    if (response.is !== 'refusal' || !isClockSkew(response.error)) {
      return sessionResponseOf(response, api, { parameters, context });
    }
    if (!isSkewed(response.skewMs - signedAheadMs)) {
      return sessionResponseOf(response, api, { parameters, context });
    }
    skewMs = response.skewMs;
    context.log.info(`${skewText(skewMs, "AWS's")}; signing by AWS's clock`);
    return sessionResponseOf(await sendOnce(api, parameters, context), api, { parameters, context });
  }

  function sendOnce(api: QueryApi, parameters: QueryParameters, context: Context): Promise<QueryResponse> {
    return sendQuery(api, parameters, context.clock.wallMs() + skewMs, context);
  }

  function sessionResponseOf(
    response: QueryResponse,
    api: QueryApi,
    { parameters, context }: QueryInput,
  ): SessionResponse {
    if (response.is === 'answer') return { ...response, target: api.endpoint.host };
    const failure = awsFailure(response.error, callOf(api, parameters), context.clock.wallMs());
    if (credentialErrors.test(response.error.name)) credentials.invalidate();
    return { is: 'refusal', error: response.error, failure };
  }

  return {
    request: async (service, parameters, context) => {
      const regionName = await region(context);
      const settings = await effectiveSettings();
      const [keys, trustOnly] = await Promise.all([credentials.get(context), readCaBundle(settings)]);
      const endpoint = endpointOf(service, regionName, settings);
      return send({ service, endpoint, region: regionName, credentials: keys, trustOnly }, parameters, context);
    },
  };
}

interface QueryInput {
  readonly parameters: QueryParameters;
  readonly context: Context;
}

/** Codes for keys that are invalid or have expired. */
const credentialErrors = /^(?:AuthFailure|ExpiredToken|RequestExpired|InvalidClientTokenId|SignatureDoesNotMatch)/;

function callOf({ service, endpoint, credentials }: QueryApi, { Action: action }: QueryParameters): AwsCall {
  return {
    target: endpoint.host,
    action: `${service}:${action}`,
    as: credentials.source,
    remedyWhenDenied: `allow ${service}:${action} on * for it`,
  };
}

function endpointOf(service: QueryApi['service'], region: string, { env }: CloudSettings<AwsConfig>): URL {
  const endpoint = endpointFor({ service, region, fips: false, dualStack: false }, env);
  if (endpoint !== undefined) return endpoint;
  throw new Failure('misconfigured', `there is no ${service} endpoint of that kind for region ${region}`, {
    remedy:
      'check AWS_ENDPOINT_URL*, AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, and the same in the profile',
  });
}

type RegionResolver = (context: Context) => Promise<string>;

/** The configured region, else that of the machine that we run on. */
function createRegionResolver(known: string | undefined, { env }: CloudSettings<AwsConfig>): RegionResolver {
  let region = known;
  return async (context) => {
    region ??= await (await openMetadata(env, context)).read('meta-data/placement/region');
    if (region !== undefined) return region;
    throw new Failure('misconfigured', 'the region of the nodes is not known', {
      remedy: 'set AWS_REGION, or aws.scopes in the configuration',
    });
  };
}
