import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { retryAfterMs } from '../../lib/retry.ts';

/** What a failure says about the request. */
export interface OpenstackCall {
  /** The endpoint's host. */
  readonly target: string;
  /** Whose credentials: `prod in /etc/openstack/clouds.yaml`. */
  readonly as: string;
}

export interface ServiceCall extends OpenstackCall {
  /** The policy rule that it needs: `os_compute_api:servers:show`. */
  readonly action: string;
  /** What to do when it is denied. */
  readonly remedyWhenDenied: string;
}

interface ErrorRow<Call> {
  readonly status: number;
  readonly kind: FailureKind;
  message(call: Call): string;
  remedy(call: Call): string;
}

/** Keystone's own 401: the credentials are refused. https://docs.openstack.org/api-ref/identity/v3/#status-codes */
const keystoneRows: ReadonlyArray<ErrorRow<OpenstackCall>> = [
  {
    status: 401,
    kind: 'denied',
    message: ({ target, as }) => `Keystone at ${target} refuses the credentials of ${as}`,
    remedy: () =>
      'check that the user or application credential is enabled, has a role in the project, and has not expired',
  },
  {
    status: 403,
    kind: 'denied',
    message: ({ target, as }) => `Keystone at ${target} refuses a token for ${as}`,
    remedy: () => "check that the user's password has not expired, and that the project is enabled",
  },
  {
    status: 404,
    kind: 'misconfigured',
    message: ({ target }) => `${target} has no Keystone v3 at the address in auth_url`,
    remedy: () => "set auth_url to Keystone's address, e.g. https://keystone.example.com/v3",
  },
  {
    status: 400,
    kind: 'misconfigured',
    message: ({ target, as }) => `Keystone at ${target} does not understand the credentials of ${as}`,
    remedy: () => 'check the user, the project and their domains',
  },
];

/** A service refuses a token, not the credentials. */
const serviceRows: ReadonlyArray<ErrorRow<ServiceCall>> = [
  {
    status: 401,
    kind: 'denied',
    message: ({ target, as }) => `${target} does not accept the token that Keystone has just issued to ${as}`,
    remedy: () => "check the service's own access to Keystone, and the clocks of both",
  },
  {
    status: 403,
    kind: 'denied',
    message: ({ target, as, action }) => `${target} denied ${action} to ${as}`,
    remedy: ({ remedyWhenDenied }) => remedyWhenDenied,
  },
  {
    status: 404,
    kind: 'misconfigured',
    message: ({ target, action }) => `${target} knows no such resource: ${action}`,
    remedy: () => 'check the endpoint in the catalog: openstack endpoint list',
  },
  {
    status: 400,
    kind: 'misconfigured',
    message: ({ target, action }) => `${target} does not accept the values of ${action}`,
    remedy: () => 'check that the addresses of the nodes are in a network of the router',
  },
  {
    status: 412,
    kind: 'unavailable',
    message: ({ target, action }) => `something else changed the resource at ${target} during ${action}`,
    remedy: () => 'it is tried again; if this stays, find the other writer',
  },
  {
    status: 406,
    kind: 'misconfigured',
    message: ({ target }) => `Nova at ${target} is too old: it does not have the microversion 2.60 (Queens, 2018)`,
    remedy: () => 'let the catalog name the endpoint of Compute API v2.1, or upgrade Nova',
  },
];

export function keystoneFailure(response: HttpResponse, call: OpenstackCall, wallMs: number): Failure {
  return failureOf(response, call, { rows: keystoneRows, wallMs });
}

/** The only place that reads statuses of Nova and Neutron. */
export function serviceFailure(response: HttpResponse, call: ServiceCall, wallMs: number): Failure {
  return failureOf(response, call, { rows: serviceRows, wallMs });
}

function failureOf<Call extends OpenstackCall>(
  response: HttpResponse,
  call: Call,
  { rows, wallMs }: { readonly rows: ReadonlyArray<ErrorRow<Call>>; readonly wallMs: number },
): Failure {
  // Nova's limits answer 413 in older releases. https://docs.openstack.org/api-guide/compute/limits.html
  if (response.status === 413) return throttled(response, call, wallMs);
  const row = rows.find(({ status }) => status === response.status);
  if (row === undefined) return statusFailure(call.target, response, wallMs);
  return new Failure(row.kind, row.message(call), { remedy: row.remedy(call) });
}

function throttled(response: HttpResponse, { target }: OpenstackCall, wallMs: number): Failure {
  const waitMs = retryAfterMs(response.headers['retry-after'], wallMs);
  return new Failure('throttled', `${target} answered HTTP 413: too many requests`, {
    remedy: 'it should pass; if it stays, raise the limit of requests',
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}
