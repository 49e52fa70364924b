import { Failure } from '../../../lib/failure.ts';
import type { LookupResult, NodeFacts } from '../../cloud.ts';
import { lookupResultOf } from './lookup-result.ts';
import type { DropletList } from './pages.ts';

/**
 * A Node is named after the Droplet, or by its private address, as with the vendor's controller. Several Droplets can have
 * one name, and a wrong providerID would stay. A name that no Droplet has is no evidence about any Droplet.
 */
export function findByName({ name }: NodeFacts, list: DropletList | Failure | undefined): LookupResult {
  if (list === undefined || list instanceof Failure) return { status: 'unknown', failure: list ?? unknownName(name) };
  const found = [...list.byId.values()].filter(
    (droplet) => droplet.name.toLowerCase() === name || droplet.networks.v4.some((each) => isPrivate(each, name)),
  );
  const [droplet, ...others] = found;
  if (droplet === undefined) return { status: 'unknown', failure: unknownName(name) };
  if (others.length > 0) return { status: 'ambiguous', candidates: found.map(({ id }) => String(id)).toSorted() };
  return lookupResultOf({ status: 'described', droplet, by: 'list' });
}

function isPrivate({ type, ip_address: address }: { type: string; ip_address: string }, name: string): boolean {
  return type === 'private' && address === name;
}

function unknownName(name: string): Failure {
  return new Failure('not-found', `no Droplet has the name ${name}`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be the Droplet's",
  });
}
