import type { AutoClock } from '../clocks/auto-clock.ts';
import { partitionOf } from '../lab/clouds/aws/hosts.ts';
import type { Http, HttpRequest, HttpResponse } from '../../lib/http/http.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import type { GeneratedCase } from './cases.ts';
import { services } from './raw-servers.ts';
import type { RawServers, Service } from './raw-servers.ts';

export interface Guard {
  readonly generated: GeneratedCase;
  readonly servers: RawServers;
  readonly clock: AutoClock;
  /** Whom nobody may ask is written here, and is not asked. */
  readonly strangers: string[];
}

/** Lets requests through to our servers only; production names lead to them too, where they are the right ones. */
export function guardHttp(http: Http, guard: Guard): Http {
  return {
    send: async (request, signal) => {
      const url = destinationOf(request, guard);
      if (url !== undefined) return sendInTime(http, { ...request, url }, guard, signal);
      guard.strangers.push(`${request.route} ${request.url.origin}`);
      throw new NetworkError('unreachable', 'a stranger');
    },
  };
}

const metadataHosts = new Set(['169.254.169.254', '[fd00:ec2::254]']);
const containerHost = '169.254.170.2';

function destinationOf({ url, route }: HttpRequest, { generated, servers }: Guard): URL | undefined {
  const { env } = generated;
  if (url.origin === servers.urls.stranger) return undefined;
  if (Object.values(servers.urls).includes(url.origin)) return url;
  const isNamed = Object.values(env).some((value) => value.startsWith(url.origin));
  if (isNamed && url.hostname === '127.0.0.1') return url;
  const service = serviceAt(url, generated);
  const isLocal = service === 'imds' || service === 'container';
  if (service === undefined || (route === 'direct') !== isLocal) return undefined;
  return new URL(`${servers.urls[service]}${url.pathname}`);
}

function serviceAt(url: URL, { env, request, files }: GeneratedCase): Service | undefined {
  if (url.username !== '' || url.port !== '') return undefined;
  if (metadataHosts.has(url.hostname)) return env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ? undefined : 'imds';
  if (url.hostname === containerHost) return env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] ? 'container' : undefined;
  if (url.protocol !== 'https:') return undefined;
  return apiAt(url.hostname, `${request.bytes.toString('utf8')} ${files['config.yaml'] ?? ''}`);
}

const apiHost = /^(?:api\.)?(?<service>ecr|ecr-public|sts)(?:-fips)?\.(?<region>[a-z0-9-]+)\.(?<suffix>[a-z0-9.-]+)$/;

/** Of the region that the image names, or its mirror; ECR Public has one of its own. */
function apiAt(host: string, named: string): Service | undefined {
  const { service, region = '', suffix = '' } = apiHost.exec(host)?.groups ?? {};
  const partition = partitionOf(region);
  const isPublic = region === 'us-east-1' && /public\.ecr\.aws|ecr-public\.aws\.com/.test(named);
  const isRight =
    [partition.suffix, partition.dualStackSuffix].includes(suffix) && (isPublic || named.includes(region));
  return isRight ? services.find((known) => known === service) : undefined;
}

const shortLimitMs = 200;

/** Where servers may fall silent, patience ends early, and the clock says that it ended as late as it would have. */
async function sendInTime(http: Http, request: HttpRequest, guard: Guard, signal: AbortSignal): Promise<HttpResponse> {
  if (!guard.generated.mayHang) return http.send(request, signal);
  const { totalMs } = request.limits;
  const limits = { connectMs: shortLimitMs, totalMs: shortLimitMs };
  return http.send({ ...request, limits }, signal).catch((error: unknown) => {
    if (error instanceof NetworkError && error.reason === 'timeout') guard.clock.leap(totalMs - shortLimitMs);
    throw error;
  });
}
