import type { Host } from '../../../lib/host.ts';

/**
 * The interfaces with a default route for IPv6. Only there may the metadata service be asked at its link-local address: on
 * an interface towards a pod, the pod could answer in its place.
 */
export async function defaultRouteInterfaces(host: Pick<Host, 'readText'>): Promise<readonly string[]> {
  const routes = await host.readText('/proc/net/ipv6_route').catch(() => undefined);
  return parseDefaultRoutes(routes ?? '');
}

const unspecified = '0'.repeat(32);
const isUp = 0x1;
const isReject = 0x200;
const namePattern = /^(?!\.{1,2}$)[\w.@-]{1,15}$/;

/** Pure. https://tldp.org/HOWTO/Linux+IPv6-HOWTO/ch11s04.html */
function parseDefaultRoutes(routes: string): readonly string[] {
  const names = routes.split('\n').flatMap((line) => {
    const [destination, prefixLength, , , nextHop, , , , flags = '', name = ''] = line.trim().split(/\s+/);
    const flagBits = Number.parseInt(flags, 16);
    const isUsable = (flagBits & isUp) !== 0 && (flagBits & isReject) === 0;
    const isDefault = destination === unspecified && prefixLength === '00' && nextHop !== unspecified;
    return isUsable && isDefault && namePattern.test(name) ? [name] : [];
  });
  return [...new Set(names)];
}
