import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import { NetworkError, networkFailure } from '../../lib/http/network-error.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { retryAfterMs } from '../../lib/retry.ts';

/** What a failure says about the call to AWS. */
export interface AwsCall {
  /** The endpoint's host. */
  readonly target: string;
  readonly action: string;
  /** The identity of the caller: `the instance's role`. */
  readonly as: string;
  /** What to do when the action is denied. */
  readonly remedyWhenDenied: string;
}

/** What we read of the SDK's errors. */
interface SdkError extends Error {
  readonly $response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> };
}

interface ErrorRow {
  readonly codes: RegExp;
  readonly kind: FailureKind;
  message(call: AwsCall, quote: string): string;
  remedy(call: AwsCall): string;
}

const rows: readonly ErrorRow[] = [
  {
    codes:
      /^(?:Throttling|ThrottlingException|ThrottledException|TooManyRequestsException|RequestLimitExceeded|RequestThrottled|RequestThrottledException|SlowDown|LimitExceededException|PriorRequestNotComplete|BandwidthLimitExceeded)$/,
    kind: 'throttled',
    message: (call) => `${call.target} throttles ${call.action}`,
    remedy: (call) => `it should pass; if it stays, raise the quota of ${call.action}`,
  },
  {
    codes: /^(?:AccessDenied|AccessDeniedException|UnauthorizedOperation|NotAuthorized|AuthorizationError)$/,
    kind: 'denied',
    message: (call, sdkMessage) =>
      `${call.target} denied ${call.action} to ${principalIn(sdkMessage) ?? call.as}${reasonIn(sdkMessage)}`,
    remedy: (call) => call.remedyWhenDenied,
  },
  {
    // EC2 uses this code for the date and for the session. The date was checked before.
    codes: /^(?:ExpiredToken|ExpiredTokenException|RequestExpired)$/,
    kind: 'denied',
    message: (call) => `${call.target} refuses the credentials, which have expired: ${call.as}`,
    remedy: () => "check this node's clock, then whatever issues these credentials",
  },
  {
    codes: /^(?:InvalidIdentityToken|InvalidIdentityTokenException|IDPRejectedClaim|IDPRejectedClaimException)$/,
    kind: 'denied',
    message: (call) => `${call.target} does not accept the token: ${call.as}`,
    remedy: () => "register the token's issuer as an IAM OIDC provider of the role's account, with its audience",
  },
  {
    codes: /^(?:IDPCommunicationError|IDPCommunicationErrorException)$/,
    kind: 'unavailable',
    message: (call) => `${call.target} could not reach the token's issuer`,
    remedy: () => "check that the issuer's keys can be read from the internet",
  },
  {
    codes:
      /^(?:UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|InvalidSignatureException|SignatureDoesNotMatch|IncompleteSignature|IncompleteSignatureException|MissingAuthenticationToken|MissingAuthenticationTokenException|NotAuthorizedException|InvalidTokenException|AuthFailure)$/,
    kind: 'denied',
    message: (call) => `${call.target} does not accept the keys: ${call.as}`,
    remedy: () => 'check that the keys are active, belong to this partition and were copied whole',
  },
  {
    codes: /^OutboundWebIdentityFederationDisabled(?:Exception)?$/,
    kind: 'denied',
    message: (call) =>
      `${call.target} signs no tokens for others: outbound web identity federation is off in this account`,
    remedy: () => 'enable it in the account settings of IAM, or by iam:EnableOutboundWebIdentityFederation',
  },
  {
    codes: /^(?:RegionDisabledException|OptInRequired|SubscriptionRequiredException|Blocked|PendingVerification)$/,
    kind: 'denied',
    message: (call) => `${call.target} is not enabled for this account`,
    remedy: () => 'enable the region in the account settings',
  },
  {
    codes:
      /^(?:InternalFailure|InternalError|InternalServerError|ServerException|ServiceUnavailable|ServiceUnavailableException|ServiceException|Unavailable)$/,
    kind: 'unavailable',
    message: (call) => `${call.target} has an error of its own`,
    remedy: () => 'it should pass; if not, see the AWS health dashboard',
  },
];

/** The only place that reads AWS's error codes. The SDK's own message is not quoted: it can repeat signed headers. */
export function awsFailure(error: unknown, call: AwsCall, wallMs: number): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof NetworkError) return networkFailure(call.target, error);
  if (!(error instanceof Error)) return invalidFormat(call, error);
  const sdkError: SdkError = error;
  const row = rows.find(({ codes }) => codes.test(error.name));
  if (row !== undefined) return fromRow(row, call, sdkError, wallMs);
  const { $response: response } = sdkError;
  const status = response?.statusCode ?? 0;
  if (status < 300) return invalidFormat(call, error);
  const known = { status, headers: response?.headers ?? {}, body: new Uint8Array() };
  return statusFailure(`${call.target}${codeOf(error)}`, known, wallMs);
}

function fromRow(row: ErrorRow, call: AwsCall, error: SdkError, wallMs: number): Failure {
  const waitMs = retryAfterMs(error.$response?.headers?.['retry-after'], wallMs);
  const retryText = waitMs === undefined ? '' : `, asking to wait ${Math.ceil(waitMs / 1000)} s`;
  return new Failure(row.kind, row.message(call, error.message) + retryText, {
    remedy: row.remedy(call),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

function invalidFormat(call: AwsCall, cause: unknown): Failure {
  return new Failure(
    'invalid-response',
    `${call.target} answered ${call.action} with something that is not its format`,
    {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
      cause,
    },
  );
}

const genericNames = new Set(['Error', 'SyntaxError', 'TypeError', 'Unknown', 'UnknownError']);

/** Only what looks like a code: a server could send anything here, even a secret. */
const codePattern = /^(?=.{4,60}$)(?:[A-Z]{1,4}[a-z]{2,})+$/;

function codeOf({ name }: Error): string {
  return codePattern.test(name) && !genericNames.has(name) ? ` (${name})` : '';
}

function principalIn(sdkMessage: string): string | undefined {
  return /(?:^|^You are not authorized to perform this operation\. )User: (?<arn>arn:[\w:/+=,.@-]{10,200}) is not authorized/.exec(
    sdkMessage,
  )?.groups?.['arn'];
}

/** The kind of policy. AWS uses these two phrases. */
function reasonIn(sdkMessage: string): string {
  const missing = /\bbecause no (?<policy>[a-z -]{3,60}?) allows\b/.exec(sdkMessage)?.groups?.['policy'];
  if (missing !== undefined) return `, because no ${missing} allows it`;
  const denying = /\bwith an explicit deny in (?<policy>an? [a-z -]{3,60}?)(?=$|[.:])/.exec(sdkMessage)?.groups?.[
    'policy'
  ];
  return denying === undefined ? '' : `, by an explicit deny in ${denying}`;
}

const clockSkewCodes = new Set(['RequestTimeTooSkewed', 'RequestExpired', 'RequestInTheFuture']);

/** Did AWS refuse the request for its date? */
export function isClockSkew(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (clockSkewCodes.has(error.name)) return true;
  return (
    /^(?:InvalidSignatureException|SignatureDoesNotMatch)$/.test(error.name) &&
    /^Signature (?:expired|not yet)/.test(error.message)
  );
}
