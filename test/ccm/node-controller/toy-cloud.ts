import type { EnabledCloud } from '../../../ccm/node-controller/ownership.ts';
import type { Instance, LookupContext, LookupResult, NodeFacts, Scope } from '../../../clouds/cloud.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import type { FailureDetails, FailureKind } from '../../../lib/failure.ts';
import type { RequestHooks } from './request-hooks.ts';

export type ToyStatus = 'running' | 'stopped' | 'terminated' | 'not-found' | 'ambiguous' | 'unknown' | 'left-out';

/**
 * A scripted cloud. A providerID is `CLOUD://PLACE/ID`. A Node without one is looked up by its name:
 * by the cloud `toy`, and by another one if a label gives it the Node.
 */
export interface ToyCloud extends EnabledCloud {
  /** Of an instance by its id, or its name. Everything else runs. */
  setStatus(id: string, said: ToyStatus): void;
  /** The immutable id of the instance behind a name, and how it is found; without one it has none. */
  setInstanceId(id: string, instanceId: string, by?: 'id' | 'list'): void;
  /** Instances are found in a list; every request by id finds nothing. */
  findsOnlyInList: boolean;
  /** What of each instance cannot be read. */
  unread: Instance['unread'];
  /** Replaces every answer, until it is `undefined` again. An answer that is `undefined` is not replaced. */
  lookUpOverride:
    | ((
        nodes: readonly NodeFacts[],
        context: LookupContext,
        scope: Scope,
      ) => Promise<ReadonlyMap<string, LookupResult> | undefined>)
    | undefined;
  accessVerified: boolean;
  readonly lookups: {
    readonly atMs: number;
    readonly scope: string;
    readonly names: readonly string[];
    /** The nodes of `verify` that were looked up afterwards. */
    readonly verified: readonly string[];
  }[];
}

const batchMax = 20;
/** A label of a Node that names another place where its instance may be. */
export const furtherRegionLabel = 'example.com/further-place';

export function createToyCloud(name: string, clock: Clock, hooks: RequestHooks): ToyCloud {
  const statuses = new Map<string, ToyStatus>();
  const instanceIds: InstanceIds = new Map();
  const lookups: ToyCloud['lookups'][number][] = [];
  const resultsOf = (nodes: readonly NodeFacts[], status?: ToyStatus): ReadonlyMap<string, LookupResult> =>
    new Map(
      nodes.flatMap((facts) => {
        const result = resultOf(facts, status ?? statuses.get(idOf(facts)) ?? 'running');
        return result === undefined ? [] : [[facts.uid, withId(result, instanceIds.get(idOf(facts)), cloud.unread)]];
      }),
    );
  const listed = (results: ReadonlyMap<string, LookupResult>): ReadonlyMap<string, LookupResult> =>
    cloud.findsOnlyInList ? new Map([...results].map(([uid, result]) => [uid, inList(result)])) : results;
  const cloud: ToyCloud = {
    name,
    setStatus: (id, results) => void statuses.set(id, results),
    setInstanceId: (id, instanceId, by = 'id') => void instanceIds.set(id, { instanceId, by }),
    findsOnlyInList: false,
    unread: undefined,
    lookUpOverride: undefined,
    accessVerified: true,
    lookups,
    instances: {
      batchMax,
      scopesOf: (facts) => toyScopesOf(name, facts),
      lookUp: async (scope, { nodes, verify }, context) => {
        await context.beforeCall();
        const names = nodes.map((facts) => facts.name);
        const lookup = { atMs: clock.monotonicMs(), scope: scope.key, names, verified: [] as string[] };
        lookups.push(lookup);
        await hooks.run('look up', 'sent');
        const results = (await cloud.lookUpOverride?.(nodes, context, scope)) ?? listed(resultsOf(nodes));
        await hooks.run('look up', 'answered');
        if (verify.length === 0 || !nodes.some((facts) => mayBeGone(facts, results.get(facts.uid)))) return results;
        await context.beforeCall();
        lookup.verified.push(...verify.map((facts) => facts.name));
        return new Map([...results, ...(cloud.findsOnlyInList ? resultsOf(verify, 'not-found') : resultsOf(verify))]);
      },
      verifyAccess: async () => {
        await hooks.run('verify access', 'sent');
        return cloud.accessVerified;
      },
    },
  };
  return cloud;
}

function toyScopesOf(cloud: string, { providerId, labels }: NodeFacts): readonly Scope[] | undefined {
  if (providerId !== undefined && !providerId.startsWith(`${cloud}://`)) return undefined;
  if (providerId === undefined && (labels['polycloud.dev/cloud'] ?? 'toy') !== cloud) return undefined;
  const region = providerId?.split('/')[2] ?? labels['topology.kubernetes.io/region'] ?? 'here';
  const others = [labels[furtherRegionLabel] ?? []].flat();
  return [region, ...others].map((each) => ({ cloud, key: `${cloud}/${each}` }));
}

type InstanceIds = Map<string, { readonly instanceId: string; readonly by: 'id' | 'list' }>;

function resultOf(facts: NodeFacts, status: ToyStatus): LookupResult | undefined {
  return status === 'left-out' ? undefined : resultFor[status](facts);
}

function withId(
  result: LookupResult,
  id: { readonly instanceId: string; readonly by: 'id' | 'list' } | undefined,
  unread: Instance['unread'],
): LookupResult {
  if (!('instance' in result)) return result;
  const { instanceId, by = result.by } = id ?? {};
  const more = { ...(instanceId !== undefined && { instanceId }), ...(unread && { unread }) };
  return { ...result, by, instance: { ...result.instance, ...more } };
}

function inList(result: LookupResult): LookupResult {
  return 'instance' in result ? { ...result, by: 'list' } : result;
}

function mayBeGone({ instanceId }: NodeFacts, result: LookupResult | undefined): boolean {
  if (result === undefined) return false;
  if ('evidence' in result) return true;
  return 'instance' in result && instanceId !== undefined && result.instance.instanceId !== instanceId;
}

function idOf({ providerId, name }: NodeFacts): string {
  return providerId?.split('/')[3] ?? name;
}

const resultFor: Readonly<Record<Exclude<ToyStatus, 'left-out'>, (facts: NodeFacts) => LookupResult>> = {
  running: (facts) => ({ status: 'running', by: 'id', instance: instanceOf(facts) }),
  stopped: (facts) => ({ status: 'stopped', by: 'id', instance: instanceOf(facts) }),
  terminated: () => ({ status: 'terminated', evidence: 'it is terminated' }),
  'not-found': () => ({ status: 'not-found', evidence: 'no such instance' }),
  ambiguous: () => ({ status: 'ambiguous', candidates: ['toy://here/one', 'toy://here/other'] }),
  unknown: () => ({ status: 'unknown', failure: failureOf('unavailable') }),
};

function instanceOf(facts: NodeFacts): Instance {
  const providerId = facts.providerId ?? `toy://here/${facts.name}`;
  const region = providerId.split('/')[2] ?? 'here';
  const addresses = [{ type: 'InternalIP', address: '10.0.0.7' }] as const;
  return { providerId, type: 'toy.large', region, zone: `${region}-a`, addresses, labels: {} };
}

export function failureOf(kind: FailureKind, details: Partial<FailureDetails> = {}): Failure {
  return new Failure(kind, `the cloud answers ${kind}`, { remedy: 'none in a test', ...details });
}
