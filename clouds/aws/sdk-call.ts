import { Failure } from '../../lib/failure.ts';
import { retry } from '../../lib/retry.ts';
import type { Context } from '../cloud.ts';
import type { Credentials } from './credentials.ts';
import { awsFailure, isClockSkew } from './errors.ts';
import type { Call } from './errors.ts';
import type { SdkTransport } from './sdk-transport.ts';

const policy = { attempts: 4, firstWaitMs: 300, longestWaitMs: 5_000 };
const msPerMinute = 60_000;

/** One API and who asks it. */
export interface Target {
  readonly endpoint: URL;
  readonly region: string;
  readonly transport: SdkTransport;
}

interface ClientSettings extends QuietSettings {
  readonly endpoint: string;
  readonly region: string;
  readonly requestHandler: SdkTransport['handler'];
  readonly credentials: SigningKeys;
}

type QuietSettings = typeof quietSettings;

/** Everything a client would otherwise look up by itself, in files and variables, is said here. */
export function clientSettings({ endpoint, region, transport }: Target, credentials: Credentials): ClientSettings {
  return {
    endpoint: endpoint.href,
    region,
    requestHandler: transport.handler,
    credentials: signingKeys(credentials),
    ...quietSettings,
  };
}

interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** In the SDK's words. */
export function signingKeys({ accessKeyId, secretAccessKey, sessionToken }: Credentials): SigningKeys {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken !== undefined && { sessionToken: sessionToken.reveal() }),
  };
}

/** What CloudTrail shows beside each call. */
export const userAgent = 'polycloud';

export const quietSettings = {
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
export async function callAws<T>(send: () => Promise<T>, call: Call, use: CallUse): Promise<T> {
  const { context } = use;
  let corrected = false;
  const attempt = async (): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (!isClockSkew(error)) throw awsFailure(error, call, context.clock.wallMs());
      if (corrected) throw skewFailure(call, use.transport.skewMs());
      corrected = true;
      context.log.info(`${skewText(use.transport.skewMs())}; signing by AWS's clock`);
      return attempt();
    }
  };
  return retry(attempt, policy, context);
}

export interface CallUse {
  readonly transport: SdkTransport;
  readonly context: Context;
}

function skewFailure(call: Call, skewMs: number): Failure {
  return new Failure('denied', `${call.whom} refuses ${call.action} for its date: ${skewText(skewMs)}`, {
    remedy: 'set the clock (chrony or systemd-timesyncd), then check that it stays right',
  });
}

function skewText(skewMs: number): string {
  const minutes = Math.round(Math.abs(skewMs) / msPerMinute);
  if (minutes === 0) return "AWS refuses the date, yet its clock agrees with this node's";
  return `this node's clock is ${minutes} minutes ${skewMs > 0 ? 'behind' : 'ahead of'} AWS's`;
}
