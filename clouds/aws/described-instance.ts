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
