import { clouds, cloudsWith } from '../clouds/index.ts';
import type { CloudRuntime } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import type { Config } from '../schemas/config.ts';
import type { EnabledCloud } from './node-controller/ownership.ts';

/** Loads the clouds of the command line. One without instances is an error at the start. */
export async function enableClouds(
  names: readonly string[],
  runtime: CloudRuntime,
  config: Config,
): Promise<readonly EnabledCloud[]> {
  const enabled: EnabledCloud[] = [];
  for (const name of new Set(names)) {
    const entry = clouds.find((candidate) => candidate.name === name);
    if (entry === undefined) throw unknownCloud(name);
    const { instances } = await entry.load(runtime, config);
    if (instances === undefined) throw noInstances(name);
    enabled.push({ name, instances });
  }
  return enabled;
}

function unknownCloud(name: string): Failure {
  const supported = cloudsWith('instances').join(', ');
  const quoted = JSON.stringify(name.slice(0, 40));
  return new Failure('misconfigured', `--cloud-provider names ${quoted}, which is not a cloud that we know`, {
    remedy: `give one or several of ${supported}`,
  });
}

function noInstances(name: string): Failure {
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
