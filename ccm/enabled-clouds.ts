import { clouds } from '../clouds/index.ts';
import type { CloudRuntime } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import type { Config } from '../schemas/config.ts';
import type { EnabledCloud } from './node-controller/ownership.ts';

/** Loads the clouds of the command line. One that has no instances as it is configured is an error at the start. */
export async function enableClouds(
  names: readonly string[],
  runtime: CloudRuntime,
  config: Config,
): Promise<readonly EnabledCloud[]> {
  const enabled: EnabledCloud[] = [];
  const entries = names.flatMap((name) => clouds.filter((entry) => entry.name === name));
  for (const { name, load } of entries) {
    const { instances, routes } = await load(runtime, config);
    if (instances === undefined) throw noInstances(name);
    enabled.push({ name, instances, ...(routes && { routes }) });
  }
  return enabled;
}

function noInstances(name: string): Failure {
  return new Failure('misconfigured', `cloud ${name} has no instances to look up as it is configured`, {
    remedy: `set what \`${name}\` needs in the configuration (for static: inventoryFile), or leave it out of --cloud-provider`,
  });
}
