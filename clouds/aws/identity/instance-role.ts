import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { looksLikeKeys } from './credentials.ts';
import type { AwsCredentials } from './credentials.ts';
import { openMetadata } from '../metadata/session.ts';
import { RoleCredentials } from '../schemas.ts';

/**
 * Without the role's name: a wrong server could send a secret in its place. AWS names the role in its refusals anyway.
 */
const ownRole = "the instance's role";
const rolePath = 'meta-data/iam/security-credentials/';
const roleNamePattern = /^[\w+=,.@-]{1,64}$/;

const metadataService = 'the instance metadata service';

/** Where credentials come from, and their owner. */
interface CredentialsOrigin {
  readonly target: string;
  readonly source: string;
}

/** The role of the instance profile. */
export async function instanceRole(env: Environment, context: Context): Promise<AwsCredentials> {
  context.log.debug(`credentials of ${ownRole} from ${metadataService}`);
  const metadata = await openMetadata(env, context);
  const name = (await metadata.read(rolePath))?.split('\n', 1)[0]?.trim() ?? '';
  if (name === '') throw noRole();
  if (!roleNamePattern.test(name)) throw unusableResponse(metadataService, 'the name of the role is not one');
  const document = await metadata.read(`${rolePath}${name}`);
  if (document === undefined) throw noRole();
  return parseRoleCredentials(document, { target: metadataService, source: ownRole });
}

/** The container endpoint responds in the same format. */
export function parseRoleCredentials(json: string, { target, source }: CredentialsOrigin): AwsCredentials {
  const parsed = RoleCredentials.safeParse(parseJson(json));
  if (!parsed.success) {
    throw unusableResponse(
      target,
      `its credentials of ${source} lack ${parsed.error.issues[0]?.path.join('.') || 'form'}`,
    );
  }
  const { Code, AccessKeyId, SecretAccessKey, Token, Expiration } = parsed.data;
  if (Code !== undefined && Code !== 'Success') {
    throw unusableResponse(target, `it has no credentials for ${source} (${errorCodeText(Code)})`);
  }
  if (!looksLikeKeys(AccessKeyId, SecretAccessKey, Token)) {
    throw unusableResponse(target, `its credentials of ${source} are not keys`);
  }
  const expiresAtMs = Date.parse(Expiration ?? '');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: new Secret(Token),
    ...(!Number.isNaN(expiresAtMs) && { expiresAtMs }),
    source,
  };
}

/** Only what looks like a code of AWS's: a server could send anything here. */
function errorCodeText(text: string): string {
  return /^(?=.{4,60}$)(?:[A-Z]{1,4}[a-z]{2,})+$/.test(text) ? text : 'it does not say why';
}

function noRole(): Failure {
  return new Failure('misconfigured', 'this instance has no IAM role', {
    remedy: 'attach an instance profile that may call ecr:GetAuthorizationToken, or give credentials by a profile',
  });
}

function unusableResponse(target: string, problem: string): Failure {
  return new Failure('invalid-response', `${target} answered, but ${problem}`, {
    remedy: "check the instance profile's role and its trust policy, and that nothing else answers in its place",
  });
}
