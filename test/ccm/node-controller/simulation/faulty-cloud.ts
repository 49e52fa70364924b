import type { EnabledCloud } from '../../../../ccm/node-controller/ownership.ts';
import type { LookupContext, LookupRequest, LookupResult, NodeFacts, Scope } from '../../../../clouds/cloud.ts';
import { Failure } from '../../../../lib/failure.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { Random } from '../../../support/random.ts';

/** `stranger`: the credentials are those of another account, which has no instance. `denied`: only `verifyAccess` fails. */
export type PlaceMode = 'healthy' | 'failing' | 'throttling' | 'hanging' | 'stranger' | 'partial' | 'denied';

export interface Place {
  readonly key: string;
  mode: PlaceMode;
  /** Of its throttling. */
  retryAfterMs: number | undefined;
  askedToWaitUntilMs: number;
  /** When its last fault ended. Infinity while it has one. */
  healthyAtMs: number;
  readonly callsAtMs: number[];
}

export interface Machine {
  readonly providerId: string;
  readonly placeKey: string;
  status: 'running' | 'stopped' | 'terminated' | 'deleted';
  /** Until then the cloud does not find it, although it exists: for too short a time to count. */
  hiddenUntilMs: number;
}

export function isAlive({ status }: Machine): boolean {
  return status === 'running' || status === 'stopped';
}

/** A cloud whose places fail each in its own way. A node without a providerID may be in any of them. */
export interface FaultyCloud extends EnabledCloud {
  readonly places: readonly Place[];
  readonly machines: Map<string, Machine>;
  readonly requestCount: number;
}

export interface FaultyCloudParts {
  readonly name: string;
  readonly placeCount: number;
  readonly batchMax: number;
  /** Requests of one look-up. */
  readonly requestCount: number;
  readonly requestsAtOnce: boolean;
  /** Does a hanging look-up end with its signal? */
  readonly obeysSignals: boolean;
  readonly hasUnread: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

export function createFaultyCloud(parts: FaultyCloudParts): FaultyCloud {
  const { name, clock, random, batchMax } = parts;
  const machines = new Map<string, Machine>();
  const places = Array.from({ length: parts.placeCount }, (_, index): Place => {
    const fault = { mode: 'healthy', retryAfterMs: undefined, askedToWaitUntilMs: 0, healthyAtMs: 0 } as const;
    return { key: `${name}/${index}`, ...fault, callsAtMs: [] };
  });

  async function request(place: Place, context: LookupContext): Promise<void> {
    await context.beforeCall();
    place.callsAtMs.push(clock.monotonicMs());
    await clock.sleep(random.between(1, 40), context.signal);
    if (place.mode === 'hanging') await hang(parts, context);
    if (place.mode === 'failing') throw failureOf('unavailable', undefined);
    if (place.mode !== 'throttling') return;
    place.askedToWaitUntilMs = Math.max(place.askedToWaitUntilMs, clock.monotonicMs() + (place.retryAfterMs ?? 0));
    throw failureOf('throttled', place.retryAfterMs);
  }

  async function requestAll(place: Place, context: LookupContext): Promise<void> {
    const calls = Array.from({ length: parts.requestCount }, () => () => request(place, context));
    if (parts.requestsAtOnce) await Promise.all(calls.map((call) => call()));
    else for (const call of calls) await call();
  }

  function resultOf(facts: NodeFacts, place: Place): LookupResult {
    if (place.mode === 'partial' && random.chance(0.5)) {
      return { status: 'unknown', failure: failureOf('unavailable', undefined) };
    }
    const machine = machines.get(facts.providerId ?? `${place.key.replace('/', '://')}/${facts.name}`);
    const isHidden = place.mode === 'stranger' || (machine?.hiddenUntilMs ?? 0) > clock.monotonicMs();
    return machine === undefined || isHidden ? missing(facts) : shown(machine, facts, parts.hasUnread);
  }

  return {
    name,
    places,
    machines,
    requestCount: parts.requestCount,
    instances: {
      batchMax,
      scopesOf: (facts) => scopesOf(name, places, facts),
      lookUp: async (scope, { nodes, verify }, context) => {
        const place = findPlace(scope, places);
        await requestAll(place, context);
        const resultsFor = (asked: LookupRequest['nodes']): (readonly [string, LookupResult])[] =>
          asked.map((facts) => [facts.uid, resultOf(facts, place)]);
        const results = resultsFor(nodes);
        if (verify.length === 0 || !results.some(([, result]) => 'evidence' in result)) return new Map(results);
        await request(place, context);
        return new Map([...results, ...resultsFor(verify)]);
      },
      verifyAccess: async (scope, context) => {
        const place = findPlace(scope, places);
        await request(place, context);
        if (place.mode === 'denied') throw new Error('a mistake in this cloud');
        return place.mode !== 'stranger';
      },
    },
  };
}

function scopesOf(cloud: string, places: readonly Place[], { providerId }: NodeFacts): readonly Scope[] | undefined {
  if (providerId === undefined) return places.map(({ key }) => ({ cloud, key }));
  if (!providerId.startsWith(`${cloud}://`)) return undefined;
  return [{ cloud, key: providerId.split('/').filter(Boolean).slice(0, 2).join('/').replace(':', '') }];
}

function findPlace({ key }: Scope, places: readonly Place[]): Place {
  const place = places.find((each) => each.key === key);
  if (place === undefined) throw new Error(`there is no place ${key}`);
  return place;
}

function missing({ providerId }: NodeFacts): LookupResult {
  if (providerId !== undefined) return { status: 'not-found', evidence: 'no such instance' };
  return { status: 'unknown', failure: failureOf('not-found', undefined) };
}

const addresses = [{ type: 'InternalIP', address: '10.0.0.7' }] as const;

function shown({ status, providerId }: Machine, facts: NodeFacts, hasUnread: boolean): LookupResult {
  if (status === 'deleted') return missing(facts);
  const byId = facts.providerId !== undefined;
  if (status === 'terminated') return byId ? { status, evidence: 'it is terminated' } : missing(facts);
  const unread = hasUnread ? { unread: ['external-addresses' as const] } : {};
  return {
    status,
    instance: { providerId, type: 'large', addresses, labels: {}, ...unread },
    by: byId ? 'id' : 'list',
  };
}

async function hang({ obeysSignals, clock }: FaultyCloudParts, { signal }: LookupContext): Promise<void> {
  await clock.sleep(10 * 3_600_000, obeysSignals ? signal : new AbortController().signal);
}

function failureOf(kind: Failure['kind'], retryAfterMs: number | undefined): Failure {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new Failure(kind, `the cloud answers ${kind}`, { remedy: 'none in a test', ...wait });
}
