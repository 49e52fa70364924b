import { clouds, cloudsWith, resolveAlias } from '../clouds/index.ts';
import type { CloudRuntime } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import type { Config } from '../schemas/config.ts';
import type { CloudCandidate } from './detect.ts';
import type { AgentFlags } from './options.ts';

export interface CloudCandidates {
  /** The one that the operator named. */
  readonly named: CloudCandidate | undefined;
  /** Those to detect if the operator named none, in this order. */
  readonly possible: readonly CloudCandidate[];
}

/** Throws a `Failure` for a cloud that is not supported. */
export function chooseCandidates(
  { cloudName, detectClouds }: Pick<AgentFlags, 'cloudName' | 'detectClouds'>,
  runtime: CloudRuntime,
  config: Config,
): CloudCandidates {
  const supported = cloudsWith('metadata');
  const named = cloudName === undefined ? [] : [checkSupported('--cloud', cloudName)];
  const chosen = detectClouds?.map((name) => checkSupported('--detect-clouds', name)) ?? supported;
  const candidates = clouds.map(({ name, load }): CloudCandidate => ({ name, load: () => load(runtime, config) }));
  return {
    named: candidates.find(({ name }) => named.includes(name)),
    possible: candidates.filter(({ name }) => chosen.includes(name)),
  };

  function checkSupported(flag: string, text: string): string {
    const name = resolveAlias(text);
    if (supported.includes(name)) return name;
    const isKnown = clouds.some((cloud) => cloud.name === name);
    const why = isKnown ? 'is not supported yet' : 'is not a known cloud';
    throw new Failure('misconfigured', `${flag} names ${JSON.stringify(text.slice(0, 40))}, which ${why}`, {
      remedy: `supported: ${supported.join(', ')}`,
    });
  }
}
