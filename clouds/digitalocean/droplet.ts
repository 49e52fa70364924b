import { isIP } from 'node:net';
import { Failure } from '../../lib/failure.ts';
import { keys } from '../../schemas/keys.ts';
import type { NodeAddress } from '../../schemas/kubernetes.ts';
import type { Instance } from '../cloud.ts';
import { formatProviderId } from './provider-id.ts';

/** What a Node needs of a Droplet, from the API or from its own metadata. */
export interface DropletDescription {
  readonly dropletId: string;
  /** The slug of its size, which only the API has. */
  readonly size: string | undefined;
  readonly region: string;
  /** Of its VPC network, which only the API has. */
  readonly vpcId: string | undefined;
  /** Of each kind the first one, as in the vendor's controller. */
  readonly privateIpv4: string | undefined;
  readonly publicIpv4: string | undefined;
  readonly publicIpv6: string | undefined;
}

/** These become values of labels. With an invalid one the Node could not be written at all. */
const slugPattern = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/**
 * The same from either source, so that the controller and an agent do not undo each other's changes. The vendor's controller
 * adds the Droplet's name as Hostname. A Droplet can get another name, so the Node keeps the kubelet's here.
 */
export function toInstance(described: DropletDescription): Instance {
  const { dropletId, size, region, vpcId, privateIpv4, publicIpv4, publicIpv6 } = described;
  if (privateIpv4 === undefined) throw noPrivateAddress(dropletId);
  return {
    providerId: formatProviderId(dropletId),
    ...(size !== undefined && { type: checked('size', size, (text) => slugPattern.test(text)) }),
    region: checked('region', region, (text) => slugPattern.test(text)),
    addresses: [
      ...ofType('InternalIP', privateIpv4, 4),
      ...ofType('ExternalIP', publicIpv4, 4),
      ...ofType('ExternalIP', publicIpv6, 6),
    ],
    labels: vpcId === undefined ? {} : { [keys.digitaloceanVpc]: vpcId },
  };
}

function ofType(type: NodeAddress['type'], address: string | undefined, family: 4 | 6): readonly NodeAddress[] {
  if (address === undefined) return [];
  return [{ type, address: checked('addresses', address, (text) => isIP(text) === family) }];
}

function checked(what: string, text: string, isValid: (text: string) => boolean): string {
  if (isValid(text)) return text;
  throw new Failure('invalid-response', `DigitalOcean has an invalid value for the ${what} of a Droplet`, {
    remedy: 'check that nothing else answers in its place',
  });
}

/** The vendor's controller refuses such a Droplet too: without the address, other nodes could reach it only from outside. */
function noPrivateAddress(dropletId: string): Failure {
  return new Failure('misconfigured', `the Droplet ${dropletId} has no private IPv4 address`, {
    remedy: 'create it again in a VPC network',
  });
}
