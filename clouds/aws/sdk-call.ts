import { Failure } from '../../lib/failure.ts';
import { apiRetryPolicy } from '../../lib/http/ask.ts';
import { isSkewed, skewText } from '../../lib/http/clock-skew.ts';
import { retry } from '../../lib/retry.ts';
import type { Context } from '../../lib/context.ts';
import type { AwsCredentials } from './identity/credentials.ts';
import { awsFailure, isClockSkew } from './errors.ts';
import type { AwsCall } from './errors.ts';
import type { AwsSdkTransport } from './sdk-transport.ts';

/** An API, and the transport to it. */
export interface SdkConnection {
  readonly endpoint: URL;
  readonly region: string;
  readonly transport: AwsSdkTransport;
}

interface ClientSettings extends FixedClientSettings {
  readonly endpoint: string;
  readonly region: string;
  readonly requestHandler: AwsSdkTransport['handler'];
  readonly credentials: SigningKeys;
}

type FixedClientSettings = typeof fixedClientSettings;

/** Everything that a client would otherwise read from files and variables. */
export function clientSettings(
  { endpoint, region, transport }: SdkConnection,
  credentials: AwsCredentials,
): ClientSettings {
  return {
    endpoint: endpoint.href,
    region,
    requestHandler: transport.handler,
    credentials: signingKeys(credentials),
    ...fixedClientSettings,
  };
}

interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** In the SDK's form. */
export function signingKeys({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): SigningKeys {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken !== undefined && { sessionToken: sessionToken.reveal() }),
  };
}

/** CloudTrail shows it with each call. */
export const userAgent = 'polycloud';

export const fixedClientSettings = {
  maxAttempts: 1,
  retryMode: 'standard',
  defaultsMode: 'standard' as const,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  authSchemePreference: ['sigv4'],
  userAgentAppId: userAgent,
  disableClockSkewCorrection: false,
};

/**
 * Sends until there is an answer or a refusal. When AWS refuses the date, the transport and the SDK's client have read
 * AWS's time from its response. The next request is signed with it, so one more attempt succeeds. The skew is logged.
 */
export async function callAws<T>(send: () => Promise<T>, call: AwsCall, deps: CallDeps): Promise<T> {
  const { context } = deps;
  let corrected = false;
  const attempt = async (): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (!isClockSkew(error)) throw awsFailure(error, call, context.clock.wallMs());
      if (corrected) throw skewFailure(call, deps.transport.skewMs());
      corrected = true;
      context.log.info(`${dateText(deps.transport.skewMs())}; signing by AWS's clock`);
      return attempt();
    }
  };
  return retry(attempt, apiRetryPolicy, context);
}

export interface CallDeps {
  readonly transport: AwsSdkTransport;
  readonly context: Context;
}

function skewFailure(call: AwsCall, skewMs: number): Failure {
  return new Failure('denied', `${call.target} refuses ${call.action} for its date: ${dateText(skewMs)}`, {
    remedy: 'set the clock (chrony or systemd-timesyncd), then check that it stays right',
  });
}

function dateText(skewMs: number): string {
  return isSkewed(skewMs) ? skewText(skewMs, "AWS's") : "AWS refuses the date, yet its clock agrees with this node's";
}
