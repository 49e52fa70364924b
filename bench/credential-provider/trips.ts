import type { RecordedRequest } from '../../test/lab/clouds/request-log.ts';
import type { Contender } from './contenders.ts';
import type { Ground } from './grounds.ts';

/** What one answer asks of the cloud, as the cloud saw it. */
export interface Trips {
  readonly variant: string;
  readonly metadataCalls: number;
  readonly cloudCalls: number;
  readonly connections: number;
  /** To the cloud, one after the other: each connection's TCP and TLS, each request. */
  readonly roundTrips: number;
}

const longestMs = 60_000;

export async function countTrips(
  { file, args, env, request, name, speaks }: Contender,
  ground: Ground,
): Promise<Trips | undefined> {
  if (request === undefined) return undefined;
  const before = (await ground.requests()).length;
  const { code, stderr } = await ground.namespace.run(file, args, { env, input: request, timeoutMs: longestMs });
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${stderr}`);
  return { variant: name, ...tally((await ground.requests()).slice(before), speaks) };
}

const handshakesOf = { HTTP: 1, HTTPS: 2 };

export function tally(requests: readonly RecordedRequest[], speaks: Contender['speaks']): Omit<Trips, 'variant'> {
  const cloud = requests.filter(({ service }) => !metadataServices.has(service));
  const connections = new Set(cloud.map(({ connection }) => connection)).size;
  return {
    metadataCalls: requests.length - cloud.length,
    cloudCalls: cloud.length,
    connections,
    roundTrips: connections * handshakesOf[speaks] + cloud.length,
  };
}

const metadataServices = new Set(['imds', 'metadata']);
