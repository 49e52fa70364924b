import { Failure } from '../../lib/failure.ts';
import { apiRetryPolicy } from '../../lib/http/ask.ts';
import { isSkewed, skewText } from '../../lib/http/clock-skew.ts';
import { retry } from '../../lib/retry.ts';
import type { Context } from '../../lib/context.ts';
import type { AwsCredentials } from './identity/credentials.ts';
import { awsFailure, isClockSkew } from './errors.ts';
import type { AwsCall } from './errors.ts';
import type { AwsSdkTransport } from './sdk-transport.ts';

/** One API and who asks it. */
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

/** Everything a client would otherwise look up by itself, in files and variables, is said here. */
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

/** In the SDK's words. */
export function signingKeys({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): SigningKeys {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken !== undefined && { sessionToken: sessionToken.reveal() }),
  };
}

/** What CloudTrail shows beside each call. */
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
 * Sends until it is answered or refused. When AWS refuses the date, its answer has told AWS's time to the transport and to
 * the SDK's client. The next request is signed by it, so one more try succeeds; that the clock is wrong is said either way.
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
