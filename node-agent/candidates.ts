import { clouds, cloudsWith } from '../clouds/index.ts';
import type { CloudRuntime } from '../clouds/index.ts';
import type { Config } from '../schemas/config.ts';
import type { CloudCandidate } from './detect.ts';
import type { AgentFlags } from './options.ts';

export interface CloudCandidates {
  /** The one that the operator named. */
  readonly named: CloudCandidate | undefined;
  /** Those to detect if the operator named none, in this order. */
  readonly possible: readonly CloudCandidate[];
}

export function chooseCandidates(
  { cloudName, detectClouds = cloudsWith('metadata') }: Pick<AgentFlags, 'cloudName' | 'detectClouds'>,
  runtime: CloudRuntime,
  config: Config,
): CloudCandidates {
  const candidates = clouds.map(({ name, load }): CloudCandidate => ({ name, load: () => load(runtime, config) }));
  return {
    named: candidates.find(({ name }) => name === cloudName),
    possible: candidates.filter(({ name }) => detectClouds.includes(name)),
  };
}
