import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { Host } from '../../../lib/host.ts';
import type { Instance, NodeFacts } from '../../cloud.ts';
import { nodeAddresses, toInstance } from '../instance.ts';
import { readInstanceDocument, readPublicAddresses } from './documents.ts';
import { parseInstanceDocument, withPublicAddresses } from './parse.ts';
import { readPrimaryMac } from './primary-interface.ts';

export interface DescribeDeps {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * Everything that a Node needs, from the metadata service. Throws a `Failure` if it cannot be read. Public addresses
 * that cannot be read are `unread`: their part of the service answers 503 for a while after a machine has started.
 */
export async function describeInstance(
  node: NodeFacts,
  { env, host }: DescribeDeps,
  context: Context,
): Promise<Instance> {
  try {
    const [text, found] = await Promise.all([readInstanceDocument(env, context), readPublicAddresses(env, context)]);
    const machine = parseInstanceDocument(text, await readPrimaryMac(host, context));
    if (found.status === 'read') return toInstance(withPublicAddresses(machine, found.addresses), node);
    const isComplete = nodeAddresses(machine.interfaces, node).every(({ publicIp }) => publicIp !== undefined);
    const instance = toInstance(machine, node);
    return isComplete ? instance : { ...instance, unread: ['external-addresses'] };
  } catch (error) {
    throw error instanceof Failure ? withNodeRemedy(error) : error;
  }
}

/** A token could come from elsewhere, and the remedy says so. The description of a Node cannot. */
function withNodeRemedy({ kind, message, remedy, retryAfterMs, cause }: Failure): Failure {
  return new Failure(kind, message, {
    remedy: remedy.replace(/^off Azure .*?; on it /, ''),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  });
}
