/** A server. `region` is empty in most providerIDs. */
export interface ServerId {
  readonly region: string;
  readonly serverId: string;
}

/** What a providerID means for OpenStack. */
export type OpenstackProviderId =
  | ({ readonly is: 'server' } & ServerId)
  /** It has OpenStack's scheme but names no server: nothing may be concluded about it. */
  | { readonly is: 'unreadable' }
  | { readonly is: 'foreign' };

/**
 * Nova's ids are lower-case UUIDs. A region is any text up to 255 characters, but a region with other characters than
 * these could not be the value of a label. https://docs.openstack.org/api-ref/identity/v3/#regions
 */
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const region = '[A-Za-z0-9](?:[\\w.-]{0,61}[A-Za-z0-9])?';
const pattern = new RegExp(`^openstack://(?<region>(?:${region})?)/(?<serverId>${uuid})$`);
export const serverIdPattern = new RegExp(`^${uuid}$`);

/** `openstack:///<server id>` or `openstack://<region>/<server id>` */
export function parseProviderId(text: string): OpenstackProviderId {
  if (!text.startsWith('openstack:')) return { is: 'foreign' };
  const { region: regionName, serverId } = pattern.exec(text)?.groups ?? {};
  if (regionName === undefined || serverId === undefined) return { is: 'unreadable' };
  return { is: 'server', region: regionName, serverId };
}

export function formatProviderId({ region: regionName, serverId }: ServerId): string {
  return `openstack://${regionName}/${serverId}`;
}
