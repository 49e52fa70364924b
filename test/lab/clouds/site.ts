import type { EmbeddedName } from './embedded.ts';

/** Where an embedded cloud stands in a network: its services at their production addresses and names. */
export interface Site<Name extends EmbeddedName> {
  readonly cloud: Name;
  readonly services: readonly SiteService[];
}

export interface SiteService {
  readonly service: string;
  /** Each service has its own, so that each can refuse connections separately. */
  readonly addresses: Addresses;
  /** Port 443 with it, port 80 without. */
  readonly tls: boolean;
  /** Only machines of this cloud reach it, as is so for metadata services. */
  readonly ownMachinesOnly: boolean;
  /** The first one is what the cloud's `url` names; without any it is the address. */
  readonly hosts: readonly SiteHost[];
}

export type IpVersion = 4 | 6;

export type Addresses = Readonly<Partial<Record<IpVersion, string>>>;

export interface SiteHost {
  readonly name: string;
  /** Which addresses the name has, in this order. */
  readonly ipVersions: readonly IpVersion[];
}
