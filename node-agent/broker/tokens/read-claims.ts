import { parseJson } from '../../../lib/json.ts';
import { isRecord, recordAt, textAt } from '../../../lib/kubernetes/record.ts';

/** The claims of a service account token; they count only if the signature is valid. */
export interface ServiceAccountClaims {
  readonly algorithm: string;
  readonly keyId: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly expiresAtMs: number;
  readonly notBeforeMs: number;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly serviceAccountUid: string;
  /** What was signed. */
  readonly signingInput: string;
  readonly signature: Buffer;
}

/** `undefined`: not a service account token, or not readable. */
export function readClaims(token: string): ServiceAccountClaims | undefined {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  const header = readPart(head);
  const claims = readPart(body);
  return header === undefined || claims === undefined || rest.length > 0
    ? undefined
    : claimsFrom(header, claims, { signingInput: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') });
}

type JsonObject = Readonly<Record<string, unknown>>;

function claimsFrom(
  header: JsonObject,
  claims: JsonObject,
  signatureParts: Pick<ServiceAccountClaims, 'signingInput' | 'signature'>,
): ServiceAccountClaims | undefined {
  const account = recordAt(recordAt(claims, 'kubernetes.io'), 'serviceaccount');
  const texts = {
    algorithm: textAt(header, 'alg'),
    keyId: textAt(header, 'kid'),
    issuer: textAt(claims, 'iss'),
    namespace: textAt(recordAt(claims, 'kubernetes.io'), 'namespace'),
    serviceAccount: textAt(account, 'name'),
    serviceAccountUid: textAt(account, 'uid'),
  };
  const audiences = [claims['aud']].flat().filter((audience) => typeof audience === 'string');
  const { exp, nbf } = claims;
  if (!isComplete(texts) || audiences.length === 0 || typeof exp !== 'number') return undefined;
  const notBeforeMs = typeof nbf === 'number' ? nbf * 1_000 : 0;
  return { ...texts, ...signatureParts, audiences, expiresAtMs: exp * 1_000, notBeforeMs };
}

/** The expiry of any signed token, not verified. `undefined`: it has none. */
export function readTokenExpiry(token: string): number | undefined {
  const exp = readPart(token.split('.')[1] ?? '')?.['exp'];
  return typeof exp === 'number' ? exp * 1_000 : undefined;
}

type Texts<T> = { readonly [K in keyof T]: string };

function isComplete<T extends object>(texts: T): texts is T & Texts<T> {
  return Object.values(texts).every((text) => typeof text === 'string' && text !== '');
}

function readPart(part: string): JsonObject | undefined {
  const parsed = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isRecord(parsed) ? parsed : undefined;
}
