/** The place of an instance. Its name can belong to another instance later. */
export interface InstancePlace {
  readonly project: string;
  readonly zone: string;
  readonly name: string;
}

/** What a providerID means for Google. */
export type GcpProviderId =
  | ({ readonly is: 'instance' } & InstancePlace)
  /** It has Google's scheme but names no instance: nothing may be concluded about it. */
  | { readonly is: 'unreadable' }
  | { readonly is: 'foreign' };

/** Projects of old organisations have the domain in front. */
const projectFormat = '(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,61}';
/**
 * A region and a letter, or `ai1a` for an AI zone. The region is the value of a label too, and cannot end with a
 * hyphen. https://docs.cloud.google.com/compute/docs/regions-zones/ai-zones
 */
const zoneFormat = '[a-z0-9](?:[a-z0-9-]{0,49}[a-z0-9])?-(?:ai\\d{1,2})?[a-z]';
const nameFormat = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?';
const machineTypeFormat = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** The formats of Google's names. None has a character with a meaning in a URL. */
export const formats = {
  project: projectFormat,
  zone: zoneFormat,
  name: nameFormat,
  machineType: machineTypeFormat,
};

const pattern = new RegExp(`^gce://(?<project>${projectFormat})/(?<zone>${zoneFormat})/(?<name>${nameFormat})$`);

/** `gce://<project>/<zone>/<name>` */
export function parseProviderId(text: string): GcpProviderId {
  if (!text.startsWith('gce:')) return { is: 'foreign' };
  const { project, zone, name } = pattern.exec(text)?.groups ?? {};
  if (project === undefined || zone === undefined || name === undefined) return { is: 'unreadable' };
  return { is: 'instance', project, zone, name };
}

export function formatProviderId(place: InstancePlace): string {
  return `gce://${placeKey(place)}`;
}

/** The same for the same place. */
export function placeKey({ project, zone, name }: InstancePlace): string {
  return `${project}/${zone}/${name}`;
}

export function regionOfZone(text: string): string {
  return text.slice(0, text.lastIndexOf('-'));
}
