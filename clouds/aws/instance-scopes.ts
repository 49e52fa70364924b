import type { Environment, NodeFacts, Scope } from '../cloud.ts';
import type { AwsConfig, ScopeConfig } from './config.ts';
import { parseProviderId, regionOfZone } from './provider-id.ts';

/** Where instances are asked for. */
export interface InstanceScope extends Scope {
  /** Absent: the region of the machine that we run on. */
  readonly region: string | undefined;
  /** Absent: our own identity. */
  readonly config: ScopeConfig | undefined;
}

export interface ScopeBook {
  route(node: NodeFacts): readonly Scope[] | undefined;
  /** `undefined`: the scope where nobody can be asked. */
  find(scope: Scope): InstanceScope | undefined;
}

/**
 * For nodes that are AWS's by their scheme, though nobody can say where to ask: they get a finding with the reason
 * instead of being nobody's.
 */
const nowhere: Scope = { cloud: 'aws', key: 'aws/nowhere' };

export function createScopeBook({ scopes }: Pick<AwsConfig, 'scopes'>, env: Environment): ScopeBook {
  const configured = scopes.map((config) => ({ ...scope(config.name), region: config.region, config }));
  const byPlace = configured.length > 0 ? undefined : ownScopes(env);
  const everywhere = byPlace === undefined ? configured : [byPlace.own];
  const inRegion = (region: string): readonly Scope[] =>
    byPlace === undefined ? configured.filter((each) => each.region === region) : [byPlace.ofRegion(region)];

  return {
    route: ({ providerId, labels }) => {
      if (providerId === undefined || providerId === '') return everywhere.map(bare);
      const parsed = parseProviderId(providerId);
      if (parsed.is === 'foreign') return undefined;
      if (parsed.is === 'unreadable') return [nowhere];
      if (parsed.zone === undefined) return everywhere.map(bare);
      const region = regionOfZone(parsed.zone);
      if (region === undefined) return [nowhere];
      const found = [...new Set([region, otherRegion(labels, env) ?? region])].flatMap(inRegion).map(bare);
      return found.length === 0 ? [nowhere] : found;
    },
    find: ({ key }) => byPlace?.find(key) ?? configured.find((each) => each.key === key),
  };
}

const regionLabel = 'topology.kubernetes.io/region';

/**
 * Where else an instance may be, if the zone in its providerID is wrong: in the region of its Node's label, which comes
 * from the instance itself, and without a label in ours. It has to be gone from there too.
 */
function otherRegion(labels: NodeFacts['labels'], env: Environment): string | undefined {
  return regionOfZone(labels[regionLabel] ?? regionIn(env) ?? '');
}

function regionIn(env: Environment): string | undefined {
  return env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || undefined;
}

interface OwnScopes {
  readonly own: InstanceScope;
  ofRegion(region: string): InstanceScope;
  find(key: string): InstanceScope | undefined;
}

const ownRegionKey = 'aws/own-region';

/** Without a configuration our own identity is used, in whichever region a node's zone names. */
function ownScopes(env: Environment): OwnScopes {
  const region = regionIn(env);
  const ofRegion = (name: string): InstanceScope => ({ ...scope(name), region: name, config: undefined });
  const own = region === undefined ? { ...ofRegion('own-region'), region: undefined } : ofRegion(region);
  return {
    own,
    ofRegion,
    find: (key) => {
      if (key === own.key) return own;
      const name = key.startsWith('aws/') && key !== ownRegionKey ? regionOfZone(key.slice('aws/'.length)) : undefined;
      return name === undefined ? undefined : ofRegion(name);
    },
  };
}

function scope(name: string): Scope {
  return { cloud: 'aws', key: `aws/${name}` };
}

/** What programs see. */
function bare({ cloud, key }: Scope): Scope {
  return { cloud, key };
}
