import type { CloudDefinition } from '../cloud.ts';
import { certs } from './certs.ts';
import { compute } from './compute.ts';
import { iamCredentials } from './iam-credentials.ts';
import { metadata } from './metadata.ts';
import { oauth2 } from './oauth2.ts';
import type { GcpState } from './state.ts';
import { initialGcpState } from './state.ts';
import { sts } from './sts.ts';

export const gcp: CloudDefinition<GcpState> = {
  name: 'gcp',
  initialState: initialGcpState,
  services: { metadata, sts, compute, 'iam-credentials': iamCredentials, oauth2, certs },
};
