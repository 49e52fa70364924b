import type { Cloud, Context } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';

/** A cloud that this machine may be of; its code is loaded when it is asked. */
export interface CloudCandidate {
  readonly name: string;
  load(): Promise<Cloud>;
}

/** The cloud that this machine is of, with what it can tell of itself. */
export interface NodeCloud {
  readonly name: string;
  readonly metadata: NonNullable<Cloud['metadata']>;
  readonly instances: Cloud['instances'];
}

/**
 * Asks one after the other. The first that says yes is it, but only if all before it said no: one that could not find out
 * may be the right one, and then it has to be asked again. Throws a `Failure` when it is not known.
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
  throw new Failure('not-found', `this is a machine of none of the clouds ${asked.join(', ')}`, {
    remedy: `say which with ${cloudFlagsHint}; for one of no cloud set static.inventoryFile in the configuration`,
  });
}

/** The flag, and the chart's values that it is made of. */
const cloudFlagsHint = '--cloud or --detect-clouds (agent.cloud or clouds in the chart)';

/** Because the operator says so. */
export async function namedCloud({ name, load }: CloudCandidate): Promise<NodeCloud> {
  const cloud = toNodeCloud(await load());
  if (cloud !== undefined) return cloud;
  throw new Failure('misconfigured', `a machine of ${name} tells nothing about itself as it is configured`, {
    remedy: 'see docs/guides/node-agent.md for what it needs, or give another --cloud',
  });
}

function toNodeCloud({ name, metadata, instances }: Cloud): NodeCloud | undefined {
  return metadata === undefined ? undefined : { name, metadata, instances };
}

function detectionFailure(name: string): Failure {
  return new Failure('unavailable', `whether this is a machine of ${name} could not be found out`, {
    remedy: `it is asked again; if it is one, let us reach its metadata service, else say which cloud with ${cloudFlagsHint}`,
  });
}
