/** What DescribeInstances says of an instance, as much of it as a Node needs. */
export interface DescribedInstance {
  readonly instanceId: string;
  /** The account that owns it. */
  readonly ownerId: string;
  readonly state: string;
  readonly type: string | undefined;
  readonly zone: string | undefined;
  readonly zoneId: string | undefined;
  readonly privateDnsName: string | undefined;
  readonly publicDnsName: string | undefined;
  readonly publicIp: string | undefined;
  /** Attached and in use, in the order of their devices. */
  readonly interfaces: readonly NetworkInterface[];
}

export interface NetworkInterface {
  /** The primary one first. */
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** Device indexes are counted anew on each network card. */
const devicesPerCard = 1_000;

/** Interfaces go by this number, the smallest first; one without a device goes last on its card. */
export function deviceOrder(cardIndex: string | undefined, deviceIndex: string | undefined): number {
  return Number(cardIndex ?? 0) * devicesPerCard + Number(deviceIndex ?? devicesPerCard - 1);
}
