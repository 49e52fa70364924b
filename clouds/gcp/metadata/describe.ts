import type { Instance, NodeFacts } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { readMetadata } from './session.ts';
import { parseMetadata } from './parse.ts';
import type { GcpMetadataTexts } from './parse.ts';

/** Never all of `instance/` at once: its attributes hold the input of start-up scripts, which can include secrets. */
const paths: Readonly<Record<keyof GcpMetadataTexts, string>> = {
  project: 'project/project-id',
  name: 'instance/name',
  id: 'instance/id',
  zone: 'instance/zone',
  machineType: 'instance/machine-type',
  interfaces: 'instance/network-interfaces/?recursive=true',
};

/** Everything that a Node needs, from the metadata server. Throws a `Failure` if a part of it cannot be read. */
export async function describeInstance(node: NodeFacts, env: Environment, context: Context): Promise<Instance> {
  const read = Object.entries(paths).map(async ([key, path]) => [key, await readMetadata(path, env, context)] as const);
  const texts = Object.fromEntries(await Promise.all(read)) as unknown as GcpMetadataTexts;
  return parseMetadata(texts, node);
}
