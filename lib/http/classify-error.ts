import { NetworkError } from './network-error.ts';
import type { NetworkReason } from './network-error.ts';

const reasonOfCode: Readonly<Record<string, NetworkReason>> = {
  ENOTFOUND: 'name-not-found',
  EAI_AGAIN: 'name-not-found',
  EAI_NODATA: 'name-not-found',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  ETIMEDOUT: 'connect-timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  INVALID_CA: 'untrusted',
  CERT_HAS_EXPIRED: 'certificate-date',
  CERT_NOT_YET_VALID: 'certificate-date',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-name',
  EPROTO: 'tls',
};

const reasonOfPrefix: ReadonlyArray<readonly [prefix: string, reason: NetworkReason]> = [
  ['HPE_', 'not-http'],
  ['ERR_SSL_', 'tls'],
  ['ERR_TLS_', 'tls'],
];

/** Classifies Node's errors by code. Only the code is quoted: messages can contain URLs with passwords. */
export function classifyNetworkError(error: unknown): NetworkError {
  if (error instanceof NetworkError) return error;
  const code = codeOf(error);
  const reason = reasonOf(code);
  // A parser error of Node contains the bytes that it could not read, and these can contain a secret.
  return new NetworkError(reason, code ?? '', reason === 'not-http' ? undefined : error);
}

function reasonOf(code: string | undefined): NetworkReason {
  if (code === undefined) return 'other';
  return reasonOfCode[code] ?? reasonOfPrefix.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'other';
}

/** After several addresses, Node returns an AggregateError; the reason of the first attempt counts. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
