import type { LabResponse, LabRequest } from '../cloud.ts';
import type { RegionalService } from './hosts.ts';
import { endpointOf } from './hosts.ts';

/** The requested region. `undefined` if only the signature has it, as with an endpoint override. */
export interface RequestedRegion {
  readonly region: string | undefined;
}

/** A host name that is not the service's is answered as a server with that name's certificate alone would. */
export function requestedRegion({ host }: LabRequest, service: RegionalService): RequestedRegion | LabResponse {
  if (loopback.test(host)) return { region: undefined };
  const endpoint = endpointOf(host);
  if (endpoint?.service !== service) return { status: 421, headers: {}, body: `${host} is not ${service}` };
  return { region: endpoint.region };
}

const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
