import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import { bodyText } from '../../lib/http/ask.ts';
import { clockSkewMs, isSkewed, skewText } from '../../lib/http/clock-skew.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { parseJson } from '../../lib/json.ts';
import { retryAfterMs } from '../../lib/retry.ts';
import { readError } from './error-body.ts';
import type { GcpErrorDetails } from './error-body.ts';

/** What a failure says about the call to Google. */
export interface GcpCall {
  /** The endpoint's host. */
  readonly target: string;
  readonly action: string;
  /** The identity of the caller: `the instance's service account`. */
  readonly as: string;
  /** What to do when it is refused. */
  readonly remedyWhenDenied: string;
  /** What does not exist if Google does not find it. Absent: a service account. */
  readonly resource?: { readonly what: string; readonly remedy: string };
}

interface ErrorContext {
  readonly call: GcpCall;
  readonly details: GcpErrorDetails;
  /** How far Google's clock is ahead of ours, if the response shows it. */
  readonly skewMs: number | undefined;
}

interface ErrorRow {
  readonly codes: RegExp;
  /** Where the code alone is not specific enough. */
  readonly text?: RegExp;
  readonly reason?: RegExp;
  readonly kind: FailureKind;
  message(circumstances: ErrorContext): string;
  remedy(circumstances: ErrorContext): string;
}

const notFoundCodes = /^(?:NOT_FOUND|notFound)$/;

/** The first matching row applies. */
const rows: readonly ErrorRow[] = [
  {
    // It is not a matter of permissions.
    codes: /^PERMISSION_DENIED$/,
    reason: /^(?:(?:user)?rateLimitExceeded|RATE_LIMIT_EXCEEDED)$/i,
    kind: 'throttled',
    message: ({ call }) => `${call.target} throttles ${call.action}`,
    remedy: ({ call }) => `it should pass; if it stays, raise the quota of ${call.action}`,
  },
  {
    codes:
      /^(?:RESOURCE_EXHAUSTED|slow_down|rate_limit_exceeded|quota_exceeded|rateLimitExceeded|userRateLimitExceeded)$/,
    kind: 'throttled',
    message: ({ call }) => `${call.target} throttles ${call.action}`,
    remedy: ({ call }) => `it should pass; if it stays, raise the quota of ${call.action}`,
  },
  {
    codes: /^(?:PERMISSION_DENIED|FAILED_PRECONDITION)$/,
    reason: /^SERVICE_DISABLED$/,
    kind: 'misconfigured',
    message: ({ details }) => `${details.service ?? 'the API'} is not enabled in the project`,
    remedy: ({ details }) => `enable it: gcloud services enable ${details.service ?? 'SERVICE'}`,
  },
  {
    codes: /^PERMISSION_DENIED$/,
    reason: /^ACCESS_TOKEN_SCOPE_INSUFFICIENT$/,
    kind: 'denied',
    message: ({ call }) => `${call.target} refuses ${call.action}: the access scopes of ${call.as} are too narrow`,
    remedy: () => 'give the instance the scope cloud-platform, and restrict it by IAM roles',
  },
  {
    codes: /^(?:PERMISSION_DENIED|forbidden)$/,
    kind: 'denied',
    message: ({ call, details }) => `${call.target} denied ${details.permission ?? call.action} to ${call.as}`,
    remedy: ({ call }) => call.remedyWhenDenied,
  },
  {
    codes: notFoundCodes,
    kind: 'misconfigured',
    message: ({ call }) => `${call.target} knows no such ${call.resource?.what ?? 'service account'}: ${call.action}`,
    remedy: ({ call }) => call.resource?.remedy ?? 'check its e-mail address, and that it was not deleted',
  },
  {
    codes: /^(?:UNAUTHENTICATED|authError)$/,
    kind: 'denied',
    message: ({ call }) => `${call.target} does not accept the token of ${call.as}`,
    remedy: () => "check that its service account is enabled, and this node's clock",
  },
  {
    codes: /^invalid_target$/,
    kind: 'misconfigured',
    message: ({ call }) => `${call.target} knows no such workload identity pool or provider, or it is disabled`,
    remedy: () => 'check the project number, pool and provider in its name, and that both are enabled',
  },
  {
    codes: /^unauthorized_client$/,
    text: /attribute condition/i,
    kind: 'denied',
    message: ({ call }) => `${call.target} refuses ${call.as}: the provider's attribute condition does not hold for it`,
    remedy: () => "let the condition of the workload identity pool's provider hold for this token's claims",
  },
  {
    codes: /^(?:invalid_grant|invalid_request)$/,
    text: /connecting to the given credential's issuer|fetch(?:ing)? (?:the )?(?:jwks|keys)|discovery document/i,
    kind: 'unavailable',
    message: ({ call }) => `${call.target} could not reach the token's issuer`,
    remedy: () => "check that the issuer's keys can be read from the internet, or upload them to the provider",
  },
  {
    codes: /^invalid_request$/,
    text: /audience/i,
    kind: 'misconfigured',
    message: ({ call }) => `${call.target} does not understand the name of the provider that ${call.as} was shown to`,
    remedy: () => 'write it as projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER',
  },
  {
    codes: /^invalid_grant$/,
    text: /audience/i,
    kind: 'denied',
    message: ({ call }) => `${call.target} does not accept the audience of ${call.as}`,
    remedy: () => "let the provider allow the token's audience, or let the token be made for the provider's own",
  },
  {
    codes: /^(?:invalid_grant|invalid_request)$/,
    text: /issuer/i,
    kind: 'denied',
    message: ({ call }) => `${call.target} does not accept the issuer of ${call.as}`,
    remedy: () => "set the provider's issuer URI to the token's, letter by letter",
  },
  {
    codes: /^(?:invalid_grant|invalid_request)$/,
    text: /stale|expired to sign-in|\bexp\b|iat and exp|timeframe|not yet valid|in the future|lifetime/i,
    kind: 'denied',
    message: ({ call, skewMs }) => `${call.target} refuses ${call.as} for its time${clockText(skewMs)}`,
    remedy: () => 'set the clock (chrony or systemd-timesyncd), then check whatever issues the token',
  },
  {
    codes: /^invalid_grant$/,
    text: /signature|account not found|disabled|deleted|key/i,
    kind: 'denied',
    message: ({ call }) => `${call.target} does not accept ${call.as}: unknown, disabled or deleted`,
    remedy: ({ call }) => call.remedyWhenDenied,
  },
  {
    codes: /^(?:invalid_grant|invalid_rapt|unauthorized_client|invalid_client|deleted_client|access_denied)$/,
    kind: 'denied',
    message: ({ call }) => `${call.target} does not accept ${call.as}`,
    remedy: ({ call }) => call.remedyWhenDenied,
  },
  {
    codes: /^(?:invalid_scope|INVALID_ARGUMENT|invalid|invalid_request|unsupported_grant_type)$/,
    kind: 'misconfigured',
    message: ({ call, details }) => `${call.target} does not understand ${call.action} (${details.code})`,
    remedy: () => 'check the scopes, the service account and the endpoints in the configuration',
  },
  {
    codes:
      /^(?:INTERNAL|UNAVAILABLE|DEADLINE_EXCEEDED|ABORTED|internal_failure|server_error|temporarily_unavailable|backendError|internalError)$/,
    kind: 'unavailable',
    message: ({ call }) => `${call.target} has an error of its own`,
    remedy: () => 'it should pass; if not, see the Google Cloud status dashboard',
  },
];

/** The only place that reads Google's error codes. */
export function googleFailure(response: HttpResponse, call: GcpCall, wallMs: number): Failure {
  const details = readError(parseJson(bodyText(response)));
  const row = details && rows.find((candidate) => fits(candidate, details));
  if (details === undefined || row === undefined) return statusFailure(call.target, response, wallMs);
  const errorContext = { call, details, skewMs: clockSkewMs(response, wallMs) };
  const waitMs = retryAfterMs(response.headers['retry-after'], wallMs);
  const retryText = waitMs === undefined ? '' : `, asking to wait ${Math.ceil(waitMs / 1000)} s`;
  return new Failure(row.kind, row.message(errorContext) + retryText, {
    remedy: row.remedy(errorContext),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

/**
 * The resource that Google says does not exist. Only this sentence counts: a 404 can also come from a proxy, and it can
 * be about a project or a zone.
 */
export function missingResource(response: HttpResponse): string | undefined {
  if (response.status !== 404) return undefined;
  const details = readError(parseJson(bodyText(response)));
  if (details === undefined || !notFoundCodes.test(details.code)) return undefined;
  return /^The resource '(?<resource>[^']{1,300})' was not found$/.exec(details.text)?.groups?.['resource'];
}

function fits({ codes, text, reason }: ErrorRow, details: GcpErrorDetails): boolean {
  return codes.test(details.code) && (text?.test(details.text) ?? true) && (reason?.test(details.reason ?? '') ?? true);
}

function clockText(skewMs: number | undefined): string {
  return skewMs === undefined || !isSkewed(skewMs) ? '' : `: ${skewText(skewMs, "Google's")}`;
}
