import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';

/** Google's registries and APIs accept it. */
export interface AccessToken {
  readonly token: Secret;
  /** By this node's clock. Absent: it is not known. */
  readonly expiresAtMs?: number;
  /** Its owner and where it was found, for messages: `the instance's service account`. */
  readonly source: string;
}

/** Characters that are valid in a header; anything else did not come from Google. */
const tokenPattern = /^[\x21-\x7e]{1,16384}$/;

export function toAccessToken(text: string, expiresAtMs: number | undefined, source: string): AccessToken | undefined {
  if (!tokenPattern.test(text)) return undefined;
  const known = expiresAtMs !== undefined && Number.isFinite(expiresAtMs);
  return { token: new Secret(text), ...(known && { expiresAtMs }), source };
}

export function unusableResponse(target: string): Failure {
  return new Failure('invalid-response', `${target} answered without a usable token`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
