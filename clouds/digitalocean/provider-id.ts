/** What a providerID means for DigitalOcean. */
export type DropletProviderId =
  | { readonly is: 'droplet'; readonly dropletId: string }
  /** It has DigitalOcean's scheme but names no Droplet: nothing may be concluded about it. */
  | { readonly is: 'unreadable' }
  | { readonly is: 'foreign' };

/** An id is a whole number, in JSON too. A longer one would lose digits there. */
const pattern = /^digitalocean:\/\/(?<dropletId>[1-9]\d{0,14})$/;

/** `digitalocean://<Droplet id>` */
export function parseProviderId(text: string): DropletProviderId {
  if (!text.startsWith('digitalocean:')) return { is: 'foreign' };
  const dropletId = pattern.exec(text)?.groups?.['dropletId'];
  return dropletId === undefined ? { is: 'unreadable' } : { is: 'droplet', dropletId };
}

export function formatProviderId(dropletId: string): string {
  return `digitalocean://${dropletId}`;
}
