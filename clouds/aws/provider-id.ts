import { partitionOfRegion } from './partitions.ts';

/** What a providerID means for AWS. */
export type ProviderId =
  | { readonly is: 'instance'; readonly instanceId: string; readonly zone: string | undefined }
  /** It has AWS's scheme but names no instance: nothing may be concluded about it. */
  | { readonly is: 'unreadable' }
  /** It is another cloud's, or of a node in AWS that is no EC2 instance. */
  | { readonly is: 'foreign' };

const ownPattern = /^aws:\/\/\/(?:(?<zone>[a-z0-9-]{0,64})\/)?(?<instanceId>i-[\w-]{1,64})$/;
/** A kubelet may be configured with the id alone. */
const barePattern = /^i-[0-9a-f]{8,17}$/;
const fargatePattern = /^aws:\/\/\/(?:[^/]*\/)*fargate-[^/]*$/;

/** `aws:///<zone>/<id>`, without a zone `aws:////<id>` or `aws:///<id>`, or the id alone. */
export function parseProviderId(text: string): ProviderId {
  if (barePattern.test(text)) return { is: 'instance', instanceId: text, zone: undefined };
  if (!text.startsWith('aws:') || fargatePattern.test(text)) return { is: 'foreign' };
  const { zone, instanceId } = ownPattern.exec(text)?.groups ?? {};
  return instanceId === undefined ? { is: 'unreadable' } : { is: 'instance', instanceId, zone: zone || undefined };
}

export function formatProviderId(instanceId: string, zone: string | undefined): string {
  return `aws:///${zone ?? ''}/${instanceId}`;
}

/**
 * `us-west-2` of `us-west-2a`, of the local zone `us-west-2-lax-1a` and of the wavelength zone
 * `us-west-2-wl1-las-wlz-1`.
 */
const zonePattern = /^(?<region>[a-z]+(?:-[a-z]+)+-\d{1,2})(?:[a-z]|-[a-z0-9-]+)?$/;

export function regionOfZone(zone: string): string | undefined {
  const region = zonePattern.exec(zone)?.groups?.['region'];
  return region !== undefined && partitionOfRegion(region) !== undefined ? region : undefined;
}
