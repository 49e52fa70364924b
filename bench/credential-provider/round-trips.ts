import type { RecordedRequest } from '../../test/lab/clouds/request-log.ts';
import type { ProviderSubject } from './subjects.ts';
import type { BenchEnvironment } from './environments.ts';

/** What one answer asks of the cloud, as the cloud saw it. */
export interface RoundTrips {
  readonly variant: string;
  readonly metadataCalls: number;
  readonly cloudCalls: number;
  readonly connections: number;
  /** To the cloud, one after the other: each connection's TCP and TLS, each request. */
  readonly roundTrips: number;
}

const longestMs = 60_000;

export async function countRoundTrips(
  { file, args, env, request, name, protocol }: ProviderSubject,
  environment: BenchEnvironment,
): Promise<RoundTrips | undefined> {
  if (request === undefined) return undefined;
  const before = (await environment.requests()).length;
  const { code, stderr } = await environment.namespace.run(file, args, { env, input: request, timeoutMs: longestMs });
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${stderr}`);
  return { variant: name, ...countRequests((await environment.requests()).slice(before), protocol) };
}

const handshakesOf = { HTTP: 1, HTTPS: 2 };

export function countRequests(
  requests: readonly RecordedRequest[],
  protocol: ProviderSubject['protocol'],
): Omit<RoundTrips, 'variant'> {
  const cloud = requests.filter(({ service }) => !metadataServices.has(service));
  const connections = new Set(cloud.map(({ connection }) => connection)).size;
  return {
    metadataCalls: requests.length - cloud.length,
    cloudCalls: cloud.length,
    connections,
    roundTrips: connections * handshakesOf[protocol] + cloud.length,
  };
}

const metadataServices = new Set(['imds', 'metadata']);
