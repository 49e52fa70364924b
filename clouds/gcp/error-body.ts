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

/** Compute Engine has an older format too. Its reason stands for a status that is missing. */
function readApiError({ status, message = '', details = [], errors }: ApiError['error']): GcpErrorDetails | undefined {
  const olderReason = firstReason(errors);
  const code = status ?? olderReason;
  if (code === undefined) return undefined;
  const info = details.find(({ reason }) => reason !== undefined);
  const metadata = info?.metadata ?? {};
  return {
    code,
    text: message,
    reason: info?.reason ?? olderReason,
    permission:
      nameOrNothing(metadata['permission'], permissionPattern) ??
      nameOrNothing(quotedPermission(message), permissionPattern),
    service: nameOrNothing(metadata['service'], servicePattern),
  };
}

function firstReason(errors: ApiError['error']['errors']): string | undefined {
  return errors?.[0]?.reason;
}

const quoted = /^(?:Permission|Required) '(?<permission>[^']{1,120})' (?:denied|permission)/;

function quotedPermission(message: string): string | undefined {
  return quoted.exec(message)?.groups?.['permission'];
}

/** Only what looks like a name of Google's: a server could send anything here, even a secret. */
function nameOrNothing(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}
