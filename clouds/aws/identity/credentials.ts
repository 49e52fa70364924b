import type { Context } from '../../../lib/context.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { CloudSettings } from '../../cloud.ts';
import type { EndpointVariant } from '../endpoints.ts';

/** The keys that sign a request. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  readonly expiresAtMs?: number;
  /** Their owner and where they were found, for messages: `keys of profile builder`. */
  readonly source: string;
}

/** What credentials are obtained with. */
export interface AwsCredentialSources {
  readonly settings: CloudSettings<AwsConfig>;
  /** Selects the STS endpoint. */
  readonly variant: EndpointVariant;
  readonly context: Context;
}

const keyPattern = /^\w{16,128}$/;
/** Characters that are valid in a header; anything else did not come from AWS. */
const secretPattern = /^[\x21-\x7e]{1,16384}$/;

export function looksLikeKeys(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): boolean {
  return (
    keyPattern.test(accessKeyId) && [secretAccessKey, sessionToken ?? '-'].every((text) => secretPattern.test(text))
  );
}
