import { Failure } from '../../../lib/failure.ts';
import { toNodeTime } from '../../../lib/http/clock-skew.ts';
import { Secret } from '../../../lib/secret.ts';
import type { CloudSettings, Identity, Login, Registry } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { AwsCredentials } from '../identity/credentials.ts';
import { endpointFor } from '../endpoints.ts';
import type { AwsService } from '../endpoints.ts';
import type { AwsCall } from '../errors.ts';
import { credentialsFor } from '../identity/resolve-identity.ts';
import { withProfileSettings } from '../identity/profile-settings.ts';
import { endpointVariantOf } from './hosts.ts';
import { AuthorizationData } from '../schemas.ts';
import { callAws } from '../sdk-call.ts';
import type { SdkConnection } from '../sdk-call.ts';
import { createSdkTransport } from '../sdk-transport.ts';
import { preconnectTo } from '../trust.ts';

/** One of ECR's two APIs: the name of its call, and the code for it. */
interface EcrApi {
  readonly service: AwsService;
  readonly action: string;
  readonly remedyWhenDenied: string;
  load(): Promise<(target: SdkConnection, credentials: AwsCredentials, wallMs: number) => Promise<unknown>>;
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
  settingsWithoutProfile: CloudSettings<AwsConfig>,
  context: Context,
): Promise<Login> {
  const settings = await withProfileSettings(settingsWithoutProfile, as.kind === 'node' ? as.select : undefined);
  const api = apis[registry.kind];
  const variant = endpointVariantOf(registry.authKey.split(':', 1)[0] ?? '');
  const endpoint = api && variant && endpointFor({ ...variant, service: api.service }, settings.env);
  if (api === undefined || endpoint === undefined || variant === undefined) throw noEndpoint(registry);
  const pendingCredentials = credentialsFor(as, variant, settings, context);
  const pendingTrust = preconnectTo(endpoint, settings, context);
  const [credentials, getAuthorization, trustOnly] = await Promise.all([
    pendingCredentials,
    Promise.race([pendingCredentials, afterPendingRequests()]).then(() => api.load()),
    pendingTrust,
  ]);
  const transport = createSdkTransport(context, trustOnly);
  const call: AwsCall = {
    target: endpoint.host,
    action: api.action,
    as: credentials.source,
    remedyWhenDenied: api.remedyWhenDenied,
  };
  context.log.debug(`${call.action} at ${call.target} as ${call.as}`);
  const connection = { endpoint, region: variant.region, transport };
  const attempt = async (): Promise<Login> => {
    const response = await getAuthorization(connection, credentials, context.clock.wallMs() + transport.skewMs());
    return parseLogin(response, call.target);
  };
  const login = await callAws(attempt, call, { transport, context });
  if (login.expiresAtMs === undefined) return login;
  return { ...login, expiresAtMs: toNodeTime(login.expiresAtMs, transport.skewMs()) };
}

/**
 * Resolves once the requests for credentials are sent. To load the SDK keeps the processor busy for milliseconds, in
 * which the metadata service can respond.
 */
function afterPendingRequests(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

function noEndpoint(registry: Registry): Failure {
  return new Failure('misconfigured', `there is no API endpoint for logins to ${registry.authKey}`, {
    remedy:
      'check AWS_ENDPOINT_URL*, AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT, and the same in the profile: not every partition has each kind',
  });
}

/** The token is base64 of `user:password`. */
export function parseLogin(response: unknown, target: string): Login {
  const parsed = AuthorizationData.safeParse(response);
  const text = parsed.success ? Buffer.from(parsed.data.authorizationToken, 'base64').toString('utf8') : '';
  const [, username, password] = /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(text) ?? [];
  if (!parsed.success || username === undefined || password === undefined) {
    throw new Failure('invalid-response', `${target} answered without a usable authorization token`, {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    });
  }
  const { expiresAt } = parsed.data;
  const expiresAtMs = expiresAt instanceof Date ? expiresAt.getTime() : Number.NaN;
  return {
    username,
    password: new Secret(password),
    ...(!Number.isNaN(expiresAtMs) && { expiresAtMs }),
    // An authorization token stays valid when the session that requested it expires.
    endsWithToken: false,
  };
}
