import type { Secret } from '../../../lib/secret.ts';

/** What signs a request. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  readonly expiresAtMs?: number;
  /** Whose they are and where they were found, for messages: `keys of profile builder`. */
  readonly source: string;
}

const keyPattern = /^\w{16,128}$/;
/** What may stand in a header or be signed; anything else did not come from AWS. */
const secretPattern = /^[\x21-\x7e]{1,16384}$/;

export function looksLikeKeys(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): boolean {
  return (
    keyPattern.test(accessKeyId) && [secretAccessKey, sessionToken ?? '-'].every((text) => secretPattern.test(text))
  );
}
