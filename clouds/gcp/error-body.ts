import { ApiError, OAuthError } from './schemas.ts';

/** An error, in either of Google's two formats. */
export interface GcpErrorDetails {
  readonly code: string;
  /** Read, but never quoted: it can repeat the request. */
  readonly text: string;
  readonly reason?: string | undefined;
  readonly permission?: string | undefined;
  readonly service?: string | undefined;
}

export function readError(json: unknown): GcpErrorDetails | undefined {
  const oauth = OAuthError.safeParse(json);
  if (oauth.success) return { code: oauth.data.error, text: oauth.data.error_description ?? '' };
  const api = ApiError.safeParse(json);
  return api.success ? readApiError(api.data.error) : undefined;
}

const permissionPattern = /^[a-z]{2,40}(?:\.[A-Za-z]{2,40}){1,3}$/;
const servicePattern = /^[a-z]{2,40}\.[a-z.-]{3,60}$/;

function readApiError({ status, message = '', details = [] }: ApiError['error']): GcpErrorDetails | undefined {
  if (status === undefined) return undefined;
  const info = details.find(({ reason }) => reason !== undefined);
  const metadata = info?.metadata ?? {};
  const quoted = /^Permission '(?<permission>[^']{1,120})' denied/.exec(message)?.groups?.['permission'];
  return {
    code: status,
    text: message,
    reason: info?.reason,
    permission: nameOrNothing(metadata['permission'], permissionPattern) ?? nameOrNothing(quoted, permissionPattern),
    service: nameOrNothing(metadata['service'], servicePattern),
  };
}

/** Only what looks like a name of Google's: a server could send anything here, even a secret. */
function nameOrNothing(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}
