import { parseJson } from '../json.ts';
import { retryAfterMs } from '../retry.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { KubernetesErrorKind } from './kubernetes-error.ts';
import { isRecord, recordAt, textAt } from './record.ts';
import { remedies } from './remedies.ts';

/** A response with an error status. */
export interface ApiErrorResponse {
  readonly status: number;
  /** The header, unparsed. */
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** `what` names the request: "patch nodes worker-1". */
export function statusError(what: string, response: ApiErrorResponse, wallMs: number): KubernetesError {
  const status = parseStatus(parseJson(response.body));
  const { status: httpStatus, retryAfter } = response;
  const waitMs = retryAfterMs(retryAfter, wallMs) ?? status.retryAfterMs;
  return errorFrom(what, { httpStatus, status, waitMs });
}

/** The object of a watch's ERROR event. The HTTP status of the watch was a success. */
export function eventError(what: string, object: unknown): KubernetesError {
  const status = parseStatus(object);
  return errorFrom(what, { httpStatus: status.code ?? 0, status, waitMs: status.retryAfterMs });
}

/** The fields that we use of https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly retryAfterMs?: number;
  /** The paths of invalid fields, such as `metadata.uid`. */
  readonly fields: readonly unknown[];
  /** Why, by code, such as `DisruptionBudget`. */
  readonly causes: readonly unknown[];
}

function parseStatus(body: unknown): Status {
  if (!isRecord(body) || body['kind'] !== 'Status') return { fields: [], causes: [] };
  const reason = textAt(body, 'reason');
  const message = textAt(body, 'message');
  const { code } = body;
  const { retryAfterSeconds, causes } = recordAt(body, 'details');
  return {
    fields: valuesAt(causes, 'field'),
    causes: valuesAt(causes, 'reason'),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(typeof code === 'number' && { code }),
    ...(typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 && { retryAfterMs: retryAfterSeconds * 1000 }),
  };
}

function valuesAt(list: unknown, key: string): readonly unknown[] {
  return Array.isArray(list) ? list.map((each: unknown) => (isRecord(each) ? each[key] : undefined)) : [];
}

interface ErrorDetails {
  readonly httpStatus: number;
  readonly status: Status;
  readonly waitMs: number | undefined;
}

function errorFrom(what: string, { httpStatus, status, waitMs }: ErrorDetails): KubernetesError {
  const { reason } = status;
  const kind = kindOf(httpStatus, status);
  const detail = status.message === undefined ? '' : `: ${oneLine(status.message)}`;
  return new KubernetesError(kind, `${what}: the API server answered ${httpStatus}${detail}`, {
    remedy: remedies[kind],
    status: httpStatus,
    ...(reason !== undefined && { reason }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

/**
 * We write a UID only as a precondition, but in a patch the API server takes it for a change. A budget refuses an eviction
 * with the status of flow control.
 */
function kindOf(httpStatus: number, { reason, fields, causes }: Status): KubernetesErrorKind {
  if (fields.includes('metadata.uid')) return 'conflict';
  if (causes.includes('DisruptionBudget')) return 'blocked';
  return (reason !== undefined ? kindOfReason[reason] : undefined) ?? kindOfStatus(httpStatus);
}

/** One status has several reasons (409), and one reason can have several statuses. The reason wins. */
const kindOfReason: Readonly<Record<string, KubernetesErrorKind>> = {
  NotFound: 'not-found',
  AlreadyExists: 'already-exists',
  Conflict: 'conflict',
  Gone: 'gone',
  Expired: 'gone',
  Forbidden: 'forbidden',
  Unauthorized: 'unauthorized',
  Invalid: 'invalid',
  BadRequest: 'invalid',
  MethodNotAllowed: 'invalid',
  NotAcceptable: 'invalid',
  RequestEntityTooLarge: 'invalid',
  UnsupportedMediaType: 'invalid',
  TooManyRequests: 'throttled',
  ServerTimeout: 'unavailable',
  Timeout: 'unavailable',
  ServiceUnavailable: 'unavailable',
  InternalError: 'unavailable',
};

const kindOfNumber: Readonly<Record<number, KubernetesErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'unavailable',
  409: 'conflict',
  410: 'gone',
  429: 'throttled',
};

function kindOfStatus(httpStatus: number): KubernetesErrorKind {
  const exact = kindOfNumber[httpStatus];
  if (exact !== undefined) return exact;
  if (httpStatus >= 500) return 'unavailable';
  return httpStatus >= 400 ? 'invalid' : 'invalid-response';
}

const longestMessageCharacters = 400;

function oneLine(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestMessageCharacters ? `${line.slice(0, longestMessageCharacters)}…` : line;
}
