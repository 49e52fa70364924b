import type { LabService } from '../cloud.ts';
import { json } from './errors.ts';
import type { GcpState } from './state.ts';

/** The keys that sign identity tokens, at the address in the issuer's discovery document. */
export const certs: LabService<GcpState> = {
  throttled: json(429, { error: 'Too Many Requests' }),
  respond: ({ method, path }, { identityKeys }) => {
    if (method === 'GET' && path === '/oauth2/v3/certs') return json(200, { keys: identityKeys.map(asSigning) });
    if (method === 'GET' && path === '/.well-known/openid-configuration') return json(200, discovery);
    return { status: 404, headers: {}, body: '' };
  },
};

function asSigning(key: GcpState['identityKeys'][number]): object {
  return { ...key, use: 'sig', alg: 'RS256' };
}

const discovery = {
  issuer: 'https://accounts.google.com',
  jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
  id_token_signing_alg_values_supported: ['RS256'],
};
