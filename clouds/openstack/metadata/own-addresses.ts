/** The IPv4 addresses of the machine's interfaces, by MAC address in lower case. */
export type OwnAddresses = ReadonlyMap<string, readonly string[]>;

/**
 * Several interfaces can have one MAC address: a VLAN has that of the interface below it. The kernel lists the lower one
 * first, and the address that DHCP set before those that were added later.
 */
export function readOwnAddresses(): OwnAddresses {
  const { networkInterfaces } = process.getBuiltinModule('node:os');
  const byMac = new Map<string, string[]>();
  for (const { mac, family, address } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    if (family !== 'IPv4') continue;
    const known = byMac.get(mac) ?? [];
    byMac.set(mac, [...known, address]);
  }
  return byMac;
}
