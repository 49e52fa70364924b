import { Failure } from '../../lib/failure.ts';
import type { Finding, NodeFacts } from '../cloud.ts';
import type { IpFamily } from './config.ts';
import type { DescribedInstance } from './described-instance.ts';
import { instanceOf } from './instance-of.ts';

/** How the instance came to be asked for: only of an exact id can it be said that it is gone. */
export type AskedBy = 'provider-id' | 'name';

/** Whether the kubelet can still be at work. It is until the instance is off, also while it is being shut down. */
const running: Readonly<Record<string, boolean>> = {
  pending: true,
  running: true,
  'shutting-down': true,
  stopping: true,
  stopped: false,
};

export function findingOf(
  described: DescribedInstance,
  node: NodeFacts,
  by: AskedBy,
  families: readonly IpFamily[],
): Finding {
  const { instanceId, state } = described;
  if (state === 'terminated' && by === 'provider-id') {
    return { is: 'gone', word: 'terminated', quote: `${instanceId} is in state ${state}` };
  }
  const isRunning = Object.hasOwn(running, state) ? running[state] : undefined;
  if (isRunning === undefined) return { is: 'unknown', failure: oddState(described) };
  return { is: 'present', instance: instanceOf(described, node, families), running: isRunning };
}

function oddState({ instanceId, state }: DescribedInstance): Failure {
  const word = state.replace(/[^\w-]/g, '').slice(0, 40);
  return new Failure('invalid-response', `EC2 says that ${instanceId} is in state ${word}, which tells us nothing`, {
    remedy: 'look at the instance; if the state is a new one, update polycloud',
  });
}
