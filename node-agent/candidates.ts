import { clouds, cloudsWith } from '../clouds/index.ts';
import type { World } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import type { Config } from '../schemas/config.ts';
import type { Candidate } from './detect.ts';
import type { AgentFlags } from './options.ts';

export interface Candidates {
  /** The one that the operator named. */
  readonly named: Candidate | undefined;
  /** Those that are detected where none was named, in the order in which they are asked. */
  readonly possible: readonly Candidate[];
}

/** Throws a `Failure` for a cloud that is not supported. */
export function chooseCandidates(
  { cloudName, detectClouds }: Pick<AgentFlags, 'cloudName' | 'detectClouds'>,
  world: World,
  config: Config,
): Candidates {
  const supported = cloudsWith('metadata');
  const named = cloudName === undefined ? [] : [checked('--cloud', cloudName)];
  const chosen = detectClouds?.map((name) => checked('--detect-clouds', name)) ?? supported;
  const candidates = clouds.map(({ name, load }): Candidate => ({ name, load: () => load(world, config) }));
  return {
    named: candidates.find(({ name }) => named.includes(name)),
    possible: candidates.filter(({ name }) => chosen.includes(name)),
  };

  function checked(flag: string, name: string): string {
    if (supported.includes(name)) return name;
    const isKnown = clouds.some((cloud) => cloud.name === name);
    const why = isKnown ? 'is not supported yet' : 'is not a cloud that we know';
    throw new Failure('misconfigured', `${flag} names ${JSON.stringify(name.slice(0, 40))}, which ${why}`, {
      remedy: `supported: ${supported.join(', ')}`,
    });
  }
}
