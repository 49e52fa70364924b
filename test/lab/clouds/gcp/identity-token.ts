import type { Moment } from '../cloud.ts';
import { identitySigner } from './identity-signer.ts';
import type { GcpState } from './state.ts';

const lifeS = 3600;
const passedS = 60;

export interface IdentityTokenRequest {
  readonly email: string;
  readonly audience: string;
  readonly full: boolean;
}

/** https://cloud.google.com/compute/docs/instances/verifying-instance-identity#payload */
export function signIdentityToken(request: IdentityTokenRequest, state: GcpState, { nowMs, expiry }: Moment): string {
  const { email, audience, full } = request;
  const issuedAtS = Math.floor(nowMs / 1000);
  const uniqueId = state.serviceAccounts[email]?.uniqueId;
  return identitySigner.sign({
    aud: audience,
    azp: uniqueId,
    sub: uniqueId,
    email,
    email_verified: true,
    iss: 'https://accounts.google.com',
    iat: issuedAtS,
    ...(expiry !== 'absent' && { exp: issuedAtS + (expiry === 'passed' ? -passedS : lifeS) }),
    ...(full && { google: { compute_engine: instanceClaims(state) } }),
  });
}

function instanceClaims({ instance, projectId, projectNumber }: GcpState): object {
  return {
    instance_id: instance.id,
    instance_name: instance.name,
    project_id: projectId,
    project_number: Number(projectNumber),
    zone: instance.zone,
    instance_creation_timestamp: 1_790_000_000,
  };
}
