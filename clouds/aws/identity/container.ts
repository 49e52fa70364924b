import { Failure } from '../../../lib/failure.ts';
import { askSuccessfully, bodyText } from '../../../lib/http/ask.ts';
import { parseHttpAddress } from '../../../lib/http/address.ts';
import { retry } from '../../../lib/retry.ts';
import type { CloudSettings } from '../../cloud.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { AwsCredentials, AwsCredentialSources } from './credentials.ts';
import { parseRoleCredentials } from './instance-role.ts';

/** EKS Pod Identity and ECS: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
const relativeBase = 'http://169.254.170.2';
const source = 'the role of the container endpoint';
/** Over plain HTTP the token goes only to the machine itself and to the addresses that AWS reserves for this. */
const trustedHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/;
const tokenPattern = /^[\x21-\x7e]{1,16384}$/;
const limits = { connectMs: 1_000, totalMs: 5_000 };
const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };

export function hasContainerEndpoint(env: Environment): boolean {
  return Boolean(env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] || env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI']);
}

export async function containerCredentials({ settings, context }: AwsCredentialSources): Promise<AwsCredentials> {
  const url = endpointOf(settings.env);
  const authorization = await authorizationOf(settings);
  const headers = authorization === undefined ? {} : { authorization };
  const target = `the container credentials endpoint at ${url.host}`;
  const request = { target, method: 'GET', url, headers, route: 'direct', limits } as const;
  const response = await retry(() => askSuccessfully(request, context), policy, context);
  return parseRoleCredentials(bodyText(response), { target, source });
}

function endpointOf(env: Environment): URL {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const text = relative ? `${relativeBase}${relative}` : (env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '');
  const url = parseHttpAddress(text);
  if (
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && trustedHosts.test(url.hostname)))
  ) {
    return url;
  }
  throw new Failure('misconfigured', 'AWS_CONTAINER_CREDENTIALS_*_URI names an address that is not allowed', {
    remedy: 'use https, or a loopback or container metadata address',
  });
}

async function authorizationOf({ env, host }: CloudSettings<AwsConfig>): Promise<string | undefined> {
  const path = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'] || undefined;
  const token = path ? (await host.readText(path))?.trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  if (path === undefined && !token) return undefined;
  if (token !== undefined && tokenPattern.test(token)) return token;
  throw new Failure('misconfigured', 'the authorization token for the container credentials endpoint is unusable', {
    remedy: 'check AWS_CONTAINER_AUTHORIZATION_TOKEN and AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  });
}
