import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Host } from '../../../lib/host.ts';

/**
 * The MAC address of the interface that has the route to the metadata service. That is the primary one: the others get
 * no such route by DHCP. https://github.com/canonical/cloud-init/pull/4465
 *
 * The metadata does not mark it, and its order is that of the configuration, in which any interface can be primary:
 * https://github.com/kubernetes-sigs/cluster-api-provider-azure/pull/2411. `undefined`: it could not be found out.
 */
export async function readPrimaryMac(host: Pick<Host, 'readText'>, { log }: Context): Promise<string | undefined> {
  try {
    const name = interfaceTowardsMetadata((await host.readText('/proc/net/route')) ?? '');
    const text = name === undefined ? undefined : await host.readText(`/sys/class/net/${name}/address`);
    return text === undefined ? undefined : plainMac(text.trim());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log.debug(`the primary interface could not be found out: ${error.message}`);
    return undefined;
  }
}

/** The metadata and Linux write it differently. */
export function plainMac(text: string): string {
  return text.replaceAll(/[:-]/g, '').toLowerCase();
}

interface Route {
  readonly name: string;
  readonly destination: number;
  readonly mask: number;
  readonly metric: number;
}

/** 169.254.169.254 as that file writes addresses: in hexadecimal digits, with the last byte first. */
const metadataAddress = 0xfe_a9_fe_a9;
const isUp = 1;
const isReject = 0x200;

/** Pure. The most specific route counts, then the lowest metric. https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
export function interfaceTowardsMetadata(routes: string): string | undefined {
  const matching = routes
    .split('\n')
    .slice(1)
    .flatMap(parseRoute)
    .filter(({ destination, mask }) => (metadataAddress & mask) >>> 0 === destination);
  const [best] = matching.toSorted((a, b) => bitsIn(b.mask) - bitsIn(a.mask) || a.metric - b.metric);
  return best?.name;
}

const namePattern = /^(?!\.{1,2}$)[^/\s]{1,15}$/;

function parseRoute(line: string): readonly Route[] {
  const [name = '', destination = '', , flags = '', , , metric = '', mask = ''] = line.trim().split(/\s+/);
  const flagBits = Number.parseInt(flags, 16);
  const isUsable = (flagBits & isUp) !== 0 && (flagBits & isReject) === 0;
  if (!isUsable || !namePattern.test(name)) return [];
  return [
    { name, destination: Number.parseInt(destination, 16), mask: Number.parseInt(mask, 16), metric: Number(metric) },
  ];
}

function bitsIn(mask: number): number {
  return mask.toString(2).replaceAll('0', '').length;
}
