import type { EnabledCloud } from '../../../ccm/node/ownership.ts';
import type { Context, Finding, Instance, NodeFacts, Scope } from '../../../clouds/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import type { FailureDetails, FailureKind } from '../../../lib/failure.ts';
import type { Steps } from './steps.ts';

export type Said = 'running' | 'stopped' | 'terminated' | 'not-found' | 'ambiguous' | 'unknown' | 'left-out';

/**
 * A cloud that says what it is told to. A providerID is `CLOUD://PLACE/ID`. A Node without one is looked up by its name:
 * by the cloud `toy`, and by another one if a label gives it the Node.
 */
export interface ToyCloud extends EnabledCloud {
  /** Of an instance by its id, or its name. Everything else runs. */
  says(id: string, said: Said): void;
  /** Replaces every answer, until it is `undefined` again. */
  trouble: ((nodes: readonly NodeFacts[], context: Context) => Promise<ReadonlyMap<string, Finding>>) | undefined;
  vouches: boolean;
  readonly looks: { readonly atMs: number; readonly scope: string; readonly names: readonly string[] }[];
}

const batchMax = 20;
/** A label of a Node that names another place where its instance may be. */
export const furtherPlace = 'example.com/further-place';

export function createToyCloud(name: string, clock: Clock, steps: Steps): ToyCloud {
  const states = new Map<string, Said>();
  const looks: ToyCloud['looks'][number][] = [];
  const cloud: ToyCloud = {
    name,
    says: (id, said) => void states.set(id, said),
    trouble: undefined,
    vouches: true,
    looks,
    instances: {
      batchMax,
      route: (facts) => routeOf(name, facts),
      look: async (scope, nodes, context) => {
        looks.push({ atMs: clock.monotonicMs(), scope: scope.key, names: nodes.map((facts) => facts.name) });
        await steps.reach('look', 'sent');
        const said = await (cloud.trouble?.(nodes, context) ?? findingsOf(nodes, states));
        await steps.reach('look', 'answered');
        return said;
      },
      vouch: async () => {
        await steps.reach('vouch', 'sent');
        return cloud.vouches;
      },
    },
  };
  return cloud;
}

function routeOf(cloud: string, { providerId, labels }: NodeFacts): readonly Scope[] | undefined {
  if (providerId !== undefined && !providerId.startsWith(`${cloud}://`)) return undefined;
  if (providerId === undefined && (labels['polycloud.dev/cloud'] ?? 'toy') !== cloud) return undefined;
  const place = providerId?.split('/')[2] ?? labels['topology.kubernetes.io/region'] ?? 'here';
  const others = [labels[furtherPlace] ?? []].flat();
  return [place, ...others].map((each) => ({ cloud, key: `${cloud}/${each}` }));
}

function findingsOf(nodes: readonly NodeFacts[], states: ReadonlyMap<string, Said>): ReadonlyMap<string, Finding> {
  const said = nodes.map((facts) => [facts.uid, states.get(idOf(facts)) ?? 'running', facts] as const);
  return new Map(said.flatMap(([uid, is, facts]) => (is === 'left-out' ? [] : [[uid, findings[is](facts)]])));
}

function idOf({ providerId, name }: NodeFacts): string {
  return providerId?.split('/')[3] ?? name;
}

const findings: Readonly<Record<Exclude<Said, 'left-out'>, (facts: NodeFacts) => Finding>> = {
  running: (facts) => ({ is: 'present', instance: instanceOf(facts), running: true }),
  stopped: (facts) => ({ is: 'present', instance: instanceOf(facts), running: false }),
  terminated: () => ({ is: 'gone', word: 'terminated', quote: 'it is terminated' }),
  'not-found': () => ({ is: 'gone', word: 'not-found', quote: 'no such instance' }),
  ambiguous: () => ({ is: 'ambiguous', candidates: ['toy://here/one', 'toy://here/other'] }),
  unknown: () => ({ is: 'unknown', failure: failureOf('unavailable') }),
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
