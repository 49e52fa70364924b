import type { LabRequest, LabResponse, Moment } from '../cloud.ts';
import type { IssuedToken, OpenstackState } from './state.ts';

export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): LabResponse {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-openstack-request-id': 'req-00000000-0000-4000-8000-000000000000',
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** Keystone's form of an error, which its middleware in the other services has too. */
export function identityError(code: number, title: string, message: string): LabResponse {
  return json(code, { error: { code, message, title } });
}

/** Of all three services: those that are not Keystone have its middleware. */
export const unauthorized: LabResponse = json(
  401,
  { error: { code: 401, message: 'The request you have made requires authentication.', title: 'Unauthorized' } },
  { 'www-authenticate': 'Keystone uri="https://keystone.cloud.example/v3"' },
);

/** https://docs.openstack.org/api-guide/compute/faults.html */
export function computeFault(code: number, name: string, message: string): LabResponse {
  return json(code, { [name]: { code, message } });
}

/** https://docs.openstack.org/api-ref/network/v2/#faults */
export function networkError(code: number, type: string, message: string): LabResponse {
  return json(code, { NeutronError: { type, message, detail: '' } });
}

/** Whose token a request has, as long as it is good. */
export function holderOf(
  { headers }: LabRequest,
  { tokens }: OpenstackState,
  { nowMs }: Moment,
): IssuedToken | undefined {
  const token = headers['x-auth-token'] ?? '';
  const issued = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  return issued !== undefined && issued.expiresAtMs > nowMs ? issued : undefined;
}

export function canRead({ roles }: IssuedToken): boolean {
  return roles.some((role) => ['reader', 'member', 'admin'].includes(role));
}
