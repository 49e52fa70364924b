import type { NodeFacts, Scope } from '../../cloud.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { AwsConfig, ScopeConfig } from '../../../schemas/config/aws.ts';
import { parseProviderId, regionOfZone } from '../provider-id.ts';

/** Where instances are asked for. */
export interface InstanceScope extends Scope {
  /** Absent: the region of the machine that we run on. */
  readonly region: string | undefined;
  /** Absent: our own identity. */
  readonly config: ScopeConfig | undefined;
}

export interface ScopeIndex {
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  /** `undefined`: the scope for nodes that cannot be looked up. */
  find(scope: Scope): InstanceScope | undefined;
}

/**
 * For nodes whose providerID has AWS's scheme but gives no account and region to ask. They belong to this cloud, and their
 * result has the reason.
 */
const unroutableScope: Scope = { cloud: 'aws', key: 'aws/nowhere' };

export function createScopeIndex({ scopes }: Pick<AwsConfig, 'scopes'>, env: Environment): ScopeIndex {
  const configured = scopes.map((config) => ({ ...scope(config.name), region: config.region, config }));
  const byRegion = configured.length > 0 ? undefined : ownScopes(env);
  const allScopes = byRegion === undefined ? configured : [byRegion.own];
  const ownRegion = regionOfZone(regionIn(env) ?? '');
  const inRegion = (region: string): readonly Scope[] =>
    byRegion === undefined ? configured.filter((each) => each.region === region) : [byRegion.ofRegion(region)];

  return {
    scopesOf: ({ providerId, labels }) => {
      if (providerId === undefined || providerId === '') return allScopes.map(publicScope);
      const parsed = parseProviderId(providerId);
      if (parsed.is === 'foreign') return undefined;
      if (parsed.is === 'unreadable') return [unroutableScope];
      if (parsed.zone === undefined) return allScopes.map(publicScope);
      const region = regionOfZone(parsed.zone);
      if (region === undefined) return [unroutableScope];
      const named = namedRegions(region, labels);
      const regions = new Set(labels[regionLabel] === undefined ? [...named, ownRegion ?? region] : named);
      const found = [...regions].flatMap(inRegion).map(publicScope);
      // The instance may be in a region that has no scope, so it must not be reported as gone.
      return named.every((each) => inRegion(each).length > 0) ? found : [...found, unroutableScope];
    },
    find: ({ key }) => byRegion?.find(key) ?? configured.find((each) => each.key === key),
  };
}

const regionLabel = 'topology.kubernetes.io/region';

/**
 * The regions where an instance may be: that of the zone in its providerID, and, in case that is wrong, that of its
 * Node's label, which comes from the instance itself. Without a label our own region is asked too. An instance is gone
 * only if it is gone from all of them.
 */
function namedRegions(region: string, labels: NodeFacts['labels']): readonly string[] {
  return [region, regionOfZone(labels[regionLabel] ?? '') ?? region];
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
function publicScope({ cloud, key }: Scope): Scope {
  return { cloud, key };
}
