import { Failure } from '../../lib/failure.ts';
import type { CloudSettings, Context } from '../cloud.ts';
import type { AwsConfig } from './config.ts';
import type { Credentials } from './credentials.ts';
import { endpointFor } from './endpoints.ts';
import { awsFailure, isClockSkew } from './errors.ts';
import type { Call } from './errors.ts';
import { credentialsFor } from './identity.ts';
import { keepCredentials } from './kept-credentials.ts';
import type { InstanceScope } from './instance-scopes.ts';
import { openMetadata } from './metadata.ts';
import { withProfileSettings } from './profile-settings.ts';
import { askQuery } from './query-call.ts';
import type { Parameters, QueryAnswer, QueryApi } from './query-call.ts';
import type { QueryError } from './query-error.ts';
import { assumeRole } from './token-service.ts';
import { operatorTrust } from './trust.ts';

/** One scope's account and region, for many calls: credentials are kept, and so is how wrong our clock is. */
export interface AccountSession {
  /** Throws a `Failure` when there is no whole answer. */
  ask(service: QueryApi['service'], parameters: Parameters, context: Context): Promise<SessionAnswer>;
}

export type SessionAnswer =
  | { readonly is: 'answer'; readonly body: string; readonly whom: string }
  | { readonly is: 'refusal'; readonly error: QueryError; readonly failure: Failure };

/** Nobody's clock is exact, and requests are refused for minutes only. */
const tolerableSkewMs = 60_000;
const sessionName = 'polycloud-ccm';

export function openAccountSession(scope: InstanceScope, given: CloudSettings<AwsConfig>): AccountSession {
  const inUse = (): Promise<CloudSettings<AwsConfig>> => withProfileSettings(given, scope.config?.profile);
  const region = rememberRegion(scope.region, given);
  const credentials = keepCredentials(async (context) => loadCredentials(scope, await region(context), context));
  let skewMs = 0;

  async function loadCredentials(from: InstanceScope, place: string, context: Context): Promise<Credentials> {
    const { profile, roleArn } = from.config ?? {};
    const where = { region: place, fips: false, dualStack: false };
    const as = { kind: 'node' as const, ...(profile !== undefined && { select: profile }) };
    const settings = await inUse();
    const base = await credentialsFor(as, where, settings, context);
    return roleArn === undefined
      ? base
      : assumeRole({ roleArn, base, sessionName }, { settings, place: where, context });
  }

  /** When AWS refuses the date, its answer has told its own: the request is signed by that once more. */
  async function ask(api: QueryApi, parameters: Parameters, context: Context): Promise<SessionAnswer> {
    const signedAheadMs = skewMs;
    const asked = await askOnce(api, parameters, context);
    if (asked.is !== 'refusal' || !isClockSkew(asked.error)) return answerOf(asked, api, { parameters, context });
    if (Math.abs(asked.skewMs - signedAheadMs) <= tolerableSkewMs) return answerOf(asked, api, { parameters, context });
    skewMs = asked.skewMs;
    context.log.info(`${skewText(skewMs)}; signing by AWS's clock`);
    return answerOf(await askOnce(api, parameters, context), api, { parameters, context });
  }

  function askOnce(api: QueryApi, parameters: Parameters, context: Context): Promise<QueryAnswer> {
    return askQuery(api, parameters, context.clock.wallMs() + skewMs, context);
  }

  function answerOf(asked: QueryAnswer, api: QueryApi, { parameters, context }: Question): SessionAnswer {
    if (asked.is === 'answer') return { ...asked, whom: api.endpoint.host };
    const failure = awsFailure(asked.error, callOf(api, parameters), context.clock.wallMs());
    if (aboutKeys.test(asked.error.name)) credentials.drop();
    return { is: 'refusal', error: asked.error, failure };
  }

  return {
    ask: async (service, parameters, context) => {
      const place = await region(context);
      const settings = await inUse();
      const [keys, trustOnly] = await Promise.all([credentials.get(context), operatorTrust(settings)]);
      const endpoint = endpointOf(service, place, settings);
      return ask({ service, endpoint, region: place, credentials: keys, trustOnly }, parameters, context);
    },
  };
}

interface Question {
  readonly parameters: Parameters;
  readonly context: Context;
}

/** Codes that say that the keys themselves are no good (any more). */
const aboutKeys = /^(?:AuthFailure|ExpiredToken|RequestExpired|InvalidClientTokenId|SignatureDoesNotMatch)/;

function callOf({ service, endpoint, credentials }: QueryApi, { Action: action }: Parameters): Call {
  return {
    whom: endpoint.host,
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

type AskRegion = (context: Context) => Promise<string>;

/** The region of the machine that we run on, where nothing else says one. */
function rememberRegion(known: string | undefined, { env }: CloudSettings<AwsConfig>): AskRegion {
  let region = known;
  return async (context) => {
    region ??= await (await openMetadata(env, context)).read('meta-data/placement/region');
    if (region !== undefined) return region;
    throw new Failure('misconfigured', 'which region the nodes are in is not known', {
      remedy: 'set AWS_REGION, or aws.scopes in the configuration',
    });
  };
}

function skewText(skewMs: number): string {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  return `this machine's clock is ${minutes} minutes ${skewMs > 0 ? 'behind' : 'ahead of'} AWS's`;
}
