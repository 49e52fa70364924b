import type { Cloud } from '../clouds/index.ts';
import type { Context } from '../lib/context.ts';
import { Failure } from '../lib/failure.ts';

/** A cloud that this machine may run on. Its code is loaded only when it is tried. */
export interface CloudCandidate {
  readonly name: string;
  load(): Promise<Cloud>;
}

/** The cloud that this machine runs on, with the capabilities that the agent uses. */
export interface NodeCloud {
  readonly name: string;
  readonly metadata: NonNullable<Cloud['metadata']>;
  readonly instances: Cloud['instances'];
  readonly notices?: NonNullable<Cloud['notices']>;
}

/**
 * Tries the candidates in order and returns the first that answers `yes`. After an `unknown` it does not go on: that
 * cloud may be the right one, and the caller has to try again. Throws a `Failure` when no cloud is detected.
 */
export async function detectCloud(candidates: readonly CloudCandidate[], context: Context): Promise<NodeCloud> {
  const asked: string[] = [];
  for (const candidate of candidates) {
    const cloud = toNodeCloud(await candidate.load());
    if (cloud === undefined) continue;
    asked.push(cloud.name);
    const result = await cloud.metadata.detect(context);
    if (result === 'yes') return cloud;
    if (result === 'unknown') throw detectionFailure(candidate.name);
  }
  throw new Failure('not-found', `no cloud detected; tried ${asked.join(', ')}`, {
    remedy: `name the cloud with ${cloudFlagsHint}; for a machine without a cloud set static.inventoryFile in the configuration`,
  });
}

/** The flags, and the chart values that set them. */
const cloudFlagsHint = '--cloud or --detect-clouds (agent.cloud or clouds in the chart)';

/** The cloud that the operator named, without detection. */
export async function namedCloud({ name, load }: CloudCandidate): Promise<NodeCloud> {
  const cloud = toNodeCloud(await load());
  if (cloud !== undefined) return cloud;
  throw new Failure('misconfigured', `${name} has no instance metadata with this configuration`, {
    remedy: `set what \`${name}\` needs in the configuration (for static: inventoryFile), or give another --cloud`,
  });
}

function toNodeCloud({ name, metadata, instances, notices }: Cloud): NodeCloud | undefined {
  if (metadata === undefined) return undefined;
  return { name, metadata, instances, ...(notices !== undefined && { notices }) };
}

function detectionFailure(name: string): Failure {
  return new Failure('unavailable', `cannot detect whether this machine runs on ${name}`, {
    remedy: `detection is retried; if it does, allow access to its metadata service, else name the cloud with ${cloudFlagsHint}`,
  });
}
