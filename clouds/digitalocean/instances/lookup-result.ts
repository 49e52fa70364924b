import { Failure } from '../../../lib/failure.ts';
import type { LookupResult } from '../../cloud.ts';
import { toInstance } from '../droplet.ts';
import type { ApiDroplet } from '../schemas.ts';
import type { DropletLookup } from './by-id.ts';

/**
 * Whether the kubelet can run. As in the vendor's controller, only `off` means that it cannot: what `archive` means is not
 * documented.
 */
const running: Readonly<Record<string, boolean>> = { new: true, active: true, archive: true, off: false };

export function lookupResultOf(lookup: DropletLookup): LookupResult {
  if (lookup.status !== 'described') return lookup;
  const { droplet, by } = lookup;
  const isRunning = Object.hasOwn(running, droplet.status) ? running[droplet.status] : undefined;
  if (isRunning === undefined) return { status: 'unknown', failure: unknownStatus(droplet) };
  try {
    return { status: isRunning ? 'running' : 'stopped', instance: instanceOf(droplet), by };
  } catch (error) {
    if (error instanceof Failure) return { status: 'unknown', failure: error };
    throw error;
  }
}

function instanceOf({
  id,
  size_slug: size,
  region,
  vpc_uuid: vpcId,
  networks,
}: ApiDroplet): ReturnType<typeof toInstance> {
  const first = (list: typeof networks.v4, type: string): string | undefined =>
    list.find((each) => each.type === type)?.ip_address;
  return toInstance({
    dropletId: String(id),
    size,
    region: region.slug,
    vpcId: vpcId ?? undefined,
    privateIpv4: first(networks.v4, 'private'),
    publicIpv4: first(networks.v4, 'public'),
    publicIpv6: first(networks.v6, 'public'),
  });
}

function unknownStatus({ id, status }: ApiDroplet): Failure {
  const statusText = status.replace(/[^\w-]/g, '').slice(0, 40);
  return new Failure('invalid-response', `the status of the Droplet ${id} is ${statusText}, which is not a known one`, {
    remedy: 'look at the Droplet; if the status is a new one, update polycloud',
  });
}
