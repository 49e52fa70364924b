import { Failure } from '../../../lib/failure.ts';
import type { LookupResult } from '../../cloud.ts';
import type { VmHit } from './search.ts';

/** What was found out about the machine of a node. */
export type VmLookup =
  | { readonly status: 'found'; readonly hit: VmHit }
  | Extract<
      LookupResult,
      { readonly evidence: string } | { readonly failure: Failure } | { readonly candidates: readonly string[] }
    >;

/**
 * One machine, or none that it could be. Templates do not run, so they are no candidates beside a machine; alone, one may
 * have been the node's machine and become it again.
 */
export function oneOf(hits: readonly VmHit[], failure: Failure | undefined): VmLookup {
  const distinct = [...new Map(hits.map((hit) => [keyOf(hit), hit])).values()];
  const machines = distinct.filter(({ vm }) => !vm.isTemplate);
  const [machine, ...others] = machines;
  if (others.length > 0) return { status: 'ambiguous', candidates: machines.map(describe).toSorted() };
  if (machine !== undefined) return { status: 'found', hit: machine };
  if (failure !== undefined) return { status: 'unknown', failure };
  return { status: 'unknown', failure: distinct[0] === undefined ? notFound() : onlyTemplate(distinct[0]) };
}

function keyOf({ vcenter, vm }: VmHit): string {
  return `${vcenter.name}/${vm.ref.id}`;
}

function describe({ vcenter, vm }: VmHit): string {
  return `${vcenter.name}/${vm.ref.id} (${vm.name})`;
}

function onlyTemplate(hit: VmHit): Failure {
  return new Failure('misconfigured', `${describe(hit)} is a template now`, {
    remedy: 'convert it back to a virtual machine, or delete the Node',
  });
}

function notFound(): Failure {
  return new Failure('not-found', 'no virtual machine has the system UUID or the host name of the node', {
    remedy:
      'check that VMware Tools run in it, and that the account can see it; or start the kubelet with --provider-id',
  });
}
