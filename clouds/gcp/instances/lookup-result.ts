import { Failure } from '../../../lib/failure.ts';
import type { LookupResult, NodeFacts } from '../../cloud.ts';
import { toInstance } from '../instance.ts';
import type { PlaceLookup } from './by-id.ts';
import type { GcpNameLookup } from './by-name.ts';
import type { GcpDescribedInstance } from './parse.ts';

/**
 * Whether the kubelet can run. It can until the instance is off, also while it shuts down. TERMINATED is the state of
 * an instance that was stopped: it can be started again.
 * https://cloud.google.com/compute/docs/instances/instance-lifecycle
 */
const running: Readonly<Record<string, boolean>> = {
  PENDING: true,
  PROVISIONING: true,
  STAGING: true,
  RUNNING: true,
  REPAIRING: true,
  PENDING_STOP: true,
  STOPPING: true,
  SUSPENDING: true,
  DEPROVISIONING: true,
  SUSPENDED: false,
  STOPPED: false,
  TERMINATED: false,
};

export function lookupResultOf(lookup: PlaceLookup | GcpNameLookup, node: NodeFacts): LookupResult {
  if (lookup.status !== 'described') return lookup;
  const { instance, by } = lookup;
  const isRunning = Object.hasOwn(running, instance.status) ? running[instance.status] : undefined;
  if (isRunning === undefined) return { status: 'unknown', failure: unknownStatus(instance) };
  const described = toInstance(instance, node);
  const hasAddress = described.addresses.some(({ type }) => type === 'InternalIP');
  if (isRunning && !hasAddress) return { status: 'unknown', failure: noAddress(instance) };
  return { status: isRunning ? 'running' : 'stopped', instance: described, by };
}

/** A Node without an address must not be initialised. */
function noAddress({ name }: GcpDescribedInstance): Failure {
  return new Failure('invalid-response', `Compute Engine shows no address of ${name} yet`, {
    remedy: 'it should pass; if it stays, look at the interfaces of the instance',
  });
}

function unknownStatus({ name, status }: GcpDescribedInstance): Failure {
  const statusText = status.replace(/[^\w-]/g, '').slice(0, 40);
  return new Failure('invalid-response', `the status of ${name} is ${statusText}, which is not a known one`, {
    remedy: 'look at the instance; if the status is a new one, update polycloud',
  });
}

export function noInstance({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `${name} cannot be looked up: its providerID is ${String(providerId)}`, {
    remedy:
      'it has to be gce://<project>/<zone>/<name>, of a project in gcp.projects of the configuration if that is set',
  });
}
