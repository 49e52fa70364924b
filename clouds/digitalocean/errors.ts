import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import { bodyText } from '../../lib/http/ask.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { parseJson } from '../../lib/json.ts';
import { ApiError } from './schemas.ts';

/** What a failure says about the call. */
export interface ApiCall {
  /** The endpoint's host. */
  readonly target: string;
  /** The scope that a token needs for it. */
  readonly scope: string;
  /** Whose call: `the API token of DO_ACCESS_TOKEN`. */
  readonly as: string;
}

interface ErrorRow {
  readonly status: number;
  readonly kind: FailureKind;
  message(call: ApiCall): string;
  remedy(call: ApiCall): string;
}

/** https://docs.digitalocean.com/reference/api/digitalocean/ ("HTTP Statuses") */
const rows: readonly ErrorRow[] = [
  {
    status: 401,
    kind: 'denied',
    message: ({ target, as }) => `${target} does not accept ${as}`,
    remedy: () => 'replace it: it is wrong, has expired or was revoked',
  },
  {
    status: 403,
    kind: 'denied',
    message: ({ target, as, scope }) => `${target} denied ${scope} to ${as}`,
    remedy: ({ scope }) => `use a token with the scope ${scope}`,
  },
  {
    status: 404,
    kind: 'not-found',
    message: ({ target, as }) => `${target} has no such resource for ${as}`,
    remedy: () => 'check the name, and that the token is of the team that owns it',
  },
];

/** Bodies are not quoted. */
export function apiFailure(response: HttpResponse, call: ApiCall, wallMs: number): Failure {
  const row = errorOf(response) === undefined ? undefined : rows.find(({ status }) => status === response.status);
  if (row === undefined) return statusFailure(call.target, response, wallMs);
  return new Failure(row.kind, row.message(call), { remedy: row.remedy(call) });
}

/** Does DigitalOcean report it? A proxy's 404 has another body. */
export function isNotFound(response: HttpResponse): boolean {
  return response.status === 404 && errorOf(response) === 'not_found';
}

function errorOf(response: HttpResponse): string | undefined {
  return ApiError.safeParse(parseJson(bodyText(response))).data?.id;
}
