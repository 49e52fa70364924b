import { Failure } from '../../../lib/failure.ts';
import type { LookupResult, NodeFacts } from '../../cloud.ts';
import type { IpFamily } from '../../../schemas/config/aws.ts';
import type { DescribedInstance } from '../instance.ts';
import { toInstance } from '../instance.ts';

/** Where the instance id comes from. Only the id of a providerID can be reported as terminated. */
export type IdSource = 'provider-id' | 'name';

/** Whether the kubelet can still run. It can until the instance is off, also while it shuts down. */
const running: Readonly<Record<string, boolean>> = {
  pending: true,
  running: true,
  'shutting-down': true,
  stopping: true,
  stopped: false,
};

/** An instance as EC2 describes it, from which each of its nodes gets a `LookupResult`. */
export interface DescribedLookup {
  readonly status: 'described';
  readonly instance: DescribedInstance;
  /** `list`: EC2 was asked to filter its instances, not for this very id. */
  readonly by: 'id' | 'list';
}

export function lookupResultOf(
  { instance: described, by }: DescribedLookup,
  node: NodeFacts,
  idSource: IdSource,
  families: readonly IpFamily[],
): LookupResult {
  const { instanceId, state } = described;
  if (state === 'terminated' && idSource === 'provider-id') {
    return { status: 'terminated', evidence: `${instanceId} is in state ${state}` };
  }
  const isRunning = Object.hasOwn(running, state) ? running[state] : undefined;
  if (isRunning === undefined) return { status: 'unknown', failure: unknownState(described) };
  return {
    status: isRunning ? 'running' : 'stopped',
    instance: toInstance(described, node, families),
    by,
  };
}

function unknownState({ instanceId, state }: DescribedInstance): Failure {
  const stateText = state.replace(/[^\w-]/g, '').slice(0, 40);
  return new Failure(
    'invalid-response',
    `EC2 says that ${instanceId} is in state ${stateText}, which tells us nothing`,
    {
      remedy: 'look at the instance; if the state is a new one, update polycloud',
    },
  );
}
