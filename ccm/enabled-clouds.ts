import { clouds, cloudsWith } from '../clouds/index.ts';
import type { World } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import type { Config } from '../schemas/config.ts';
import type { EnabledCloud } from './node/ownership.ts';

/** The clouds of the command line, built. One that offers nothing here is a mistake, said at the start. */
export async function enableClouds(
  names: readonly string[],
  world: World,
  config: Config,
): Promise<readonly EnabledCloud[]> {
  const enabled: EnabledCloud[] = [];
  for (const name of new Set(names)) {
    const entry = clouds.find((candidate) => candidate.name === name);
    if (entry === undefined) throw unknown(name);
    const { instances } = await entry.load(world, config);
    if (instances === undefined) throw withoutInstances(name);
    enabled.push({ name, instances });
  }
  return enabled;
}

function unknown(name: string): Failure {
  const supported = cloudsWith('instances').join(', ');
  const quoted = JSON.stringify(name.slice(0, 40));
  return new Failure('misconfigured', `--cloud-provider names ${quoted}, which is not a cloud that we know`, {
    remedy: `give one or several of ${supported}`,
  });
}

function withoutInstances(name: string): Failure {
  const supported = cloudsWith('instances');
  if (!supported.includes(name)) {
    return new Failure('misconfigured', `--cloud-provider names ${name}, which is not supported yet`, {
      remedy: `supported: ${supported.join(', ')}`,
    });
  }
  return new Failure('misconfigured', `cloud ${name} has no instances to look up as it is configured`, {
    remedy: 'see docs/reference/configuration.md for what it needs, or leave it out of --cloud-provider',
  });
}
