import { Failure } from '../../../lib/failure.ts';
import type { LookupResult, NodeFacts } from '../../cloud.ts';
import type { PlaceLookup } from './by-id.ts';
import type { InstanceList } from './list.ts';
import type { GcpDescribedInstance } from './parse.ts';

/**
 * A name that no instance has is no evidence about any instance, so it never means "not-found". Other zones may have
 * the same name, so every zone must have been read: a wrong providerID stays.
 */
export type GcpNameLookup = Exclude<PlaceLookup, { readonly evidence: string }> | AmbiguousResult;
type AmbiguousResult = Extract<LookupResult, { readonly candidates: readonly string[] }>;

/** The kubelet names the Node after the host, whose name begins with the instance's. */
export function lookUpByName({ name }: NodeFacts, list: InstanceList | Failure | undefined): GcpNameLookup {
  if (list instanceof Failure) return { status: 'unknown', failure: list };
  const instanceName = name.split('.')[0];
  const found =
    list?.instances
      .values()
      .filter((instance) => instance.name === instanceName)
      .toArray() ?? [];
  const [instance, ...others] = found;
  if (others.length > 0) return { status: 'ambiguous', candidates: found.map(candidateText).toSorted() };
  if (list === undefined || list.unread === 'all' || list.unread.size > 0) {
    return { status: 'unknown', failure: notAllRead(name) };
  }
  return instance === undefined
    ? { status: 'unknown', failure: unknownName(name) }
    : { status: 'described', instance, by: 'list' };
}

function candidateText({ zone, instanceId }: GcpDescribedInstance): string {
  return `${zone}/${instanceId}`;
}

function notAllRead(name: string): Failure {
  return new Failure('unavailable', `Compute Engine could not read all zones, and any of them may have ${name}`, {
    remedy: 'wait until it can, or start the kubelet with --provider-id',
  });
}

function unknownName(name: string): Failure {
  return new Failure('not-found', `the project has no instance for the name ${name}`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be the instance's",
  });
}
