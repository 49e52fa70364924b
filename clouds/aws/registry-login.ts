import { Failure } from '../../lib/failure.ts';
import { Secret } from '../../lib/secret.ts';
import type { CloudSettings, Context, Identity, Login, Registry } from '../cloud.ts';
import type { AwsConfig } from './config.ts';
import type { Credentials } from './credentials.ts';
import { endpointFor } from './endpoints.ts';
import type { Service } from './endpoints.ts';
import type { Call } from './errors.ts';
import { credentialsFor } from './identity.ts';
import { withProfileSettings } from './profile-settings.ts';
import { placeOf } from './registry-hosts.ts';
import { AuthorizationData } from './schemas.ts';
import { callAws } from './sdk-call.ts';
import type { Target } from './sdk-call.ts';
import { createSdkTransport } from './sdk-transport.ts';
import { warmTo } from './warm-to.ts';

/** One of ECR's two APIs: what its call is called and how it is made. */
interface EcrApi {
  readonly service: Service;
  readonly action: string;
  readonly remedyWhenDenied: string;
  load(): Promise<(target: Target, credentials: Credentials, wallMs: number) => Promise<unknown>>;
}

const apis: Readonly<Record<string, EcrApi>> = {
  ecr: {
    service: 'ecr',
    action: 'ecr:GetAuthorizationToken',
    remedyWhenDenied:
      'allow ecr:GetAuthorizationToken on * for it, e.g. by the managed policy AmazonEC2ContainerRegistryPullOnly',
    load: async () => (await import('./ecr.ts')).getAuthorization,
  },
  'ecr-public': {
    service: 'ecr-public',
    action: 'ecr-public:GetAuthorizationToken',
    remedyWhenDenied: 'allow ecr-public:GetAuthorizationToken and sts:GetServiceBearerToken on * for it',
    load: async () => (await import('./ecr-public.ts')).getAuthorization,
  },
};

export async function logIn(
  registry: Registry,
  as: Identity,
  given: CloudSettings<AwsConfig>,
  context: Context,
): Promise<Login> {
  const settings = await withProfileSettings(given, as.kind === 'node' ? as.select : undefined);
  const api = apis[registry.kind];
  const place = placeOf(registry.authKey.split(':', 1)[0] ?? '');
  const endpoint = api && place && endpointFor({ ...place, service: api.service }, settings.env);
  if (api === undefined || endpoint === undefined || place === undefined) throw noEndpoint(registry);
  const asked = credentialsFor(as, place, settings, context);
  const trusted = warmTo(endpoint, settings, context);
  const [credentials, getAuthorization, trustOnly] = await Promise.all([
    asked,
    Promise.race([asked, onceSent()]).then(() => api.load()),
    trusted,
  ]);
  const transport = createSdkTransport(context, trustOnly);
  const call: Call = {
    whom: endpoint.host,
    action: api.action,
    as: credentials.source,
    remedyWhenDenied: api.remedyWhenDenied,
  };
  context.log.verbose(`${call.action} at ${call.whom} as ${call.as}`);
  const target = { endpoint, region: place.region, transport };
  const attempt = async (): Promise<Login> => {
    const answer = await getAuthorization(target, credentials, context.clock.wallMs() + transport.skewMs());
    return parseLogin(answer, call.whom);
  };
  const login = await callAws(attempt, call, { transport, context });
  return byOurClock(login, transport.skewMs());
}

/**
 * When the question of who we are is on its way, or a little after: loading the SDK keeps the processor busy for
 * milliseconds, in which the metadata service can find its answer.
 */
function onceSent(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

function noEndpoint(registry: Registry): Failure {
  return new Failure('misconfigured', `there is no API endpoint that gives logins for ${registry.authKey}`, {
    remedy:
      'check AWS_ENDPOINT_URL*, AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, and the same in the profile: not every partition has each kind',
  });
}

/** The token is base64 of `user:password`. */
export function parseLogin(answer: unknown, whom: string): Login {
  const parsed = AuthorizationData.safeParse(answer);
  const text = parsed.success ? Buffer.from(parsed.data.authorizationToken, 'base64').toString('utf8') : '';
  const [, username, password] = /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(text) ?? [];
  if (!parsed.success || username === undefined || password === undefined) {
    throw new Failure('invalid-response', `${whom} answered without a usable authorization token`, {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    });
  }
  const { expiresAt } = parsed.data;
  const expiresAtMs = expiresAt instanceof Date ? expiresAt.getTime() : Number.NaN;
  return {
    username,
    password: new Secret(password),
    ...(!Number.isNaN(expiresAtMs) && { expiresAtMs }),
    // An authorization token outlives the session that asked for it.
    endsWithToken: false,
  };
}

/** Dates on the wire are good to seconds; only a clock that is really wrong shifts the expiry. */
const tolerableSkewMs = 60_000;

function byOurClock(login: Login, skewMs: number): Login {
  if (login.expiresAtMs === undefined || Math.abs(skewMs) < tolerableSkewMs) return login;
  return { ...login, expiresAtMs: login.expiresAtMs - skewMs };
}
