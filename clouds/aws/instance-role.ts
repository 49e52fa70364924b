import { Failure } from '../../lib/failure.ts';
import { parseJson } from '../../lib/json.ts';
import { Secret } from '../../lib/secret.ts';
import type { Context, Environment } from '../cloud.ts';
import { looksLikeKeys } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { openMetadata } from './metadata.ts';
import { RoleCredentials } from './schemas.ts';

/** Without its name: whatever answers here could call it by a secret, and AWS itself names the role when it refuses it. */
const ownRole = "the instance's role";
const rolePath = 'meta-data/iam/security-credentials/';
const roleNamePattern = /^[\w+=,.@-]{1,64}$/;

const service = 'the instance metadata service';

/** Who gave credentials, and whose they are. */
interface Origin {
  readonly whom: string;
  readonly source: string;
}

/** The role of the instance profile. */
export async function instanceRole(env: Environment, context: Context): Promise<Credentials> {
  context.log.verbose(`credentials of ${ownRole} from ${service}`);
  const metadata = await openMetadata(env, context);
  const name = (await metadata.read(rolePath))?.split('\n', 1)[0]?.trim() ?? '';
  if (name === '') throw noRole();
  if (!roleNamePattern.test(name)) throw unusable(service, 'the name of the role is not one');
  const answer = await metadata.read(`${rolePath}${name}`);
  if (answer === undefined) throw noRole();
  return parseRoleCredentials(answer, { whom: service, source: ownRole });
}

/** The container endpoint answers in the same form. */
export function parseRoleCredentials(json: string, { whom, source }: Origin): Credentials {
  const parsed = RoleCredentials.safeParse(parseJson(json));
  if (!parsed.success) {
    throw unusable(whom, `its credentials of ${source} lack ${parsed.error.issues[0]?.path.join('.') || 'form'}`);
  }
  const { Code, AccessKeyId, SecretAccessKey, Token, Expiration } = parsed.data;
  if (Code !== undefined && Code !== 'Success') {
    throw unusable(whom, `it has no credentials for ${source} (${word(Code)})`);
  }
  if (!looksLikeKeys(AccessKeyId, SecretAccessKey, Token)) {
    throw unusable(whom, `its credentials of ${source} are not keys`);
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

/** What is spelt like one of AWS's codes, and nothing else that somebody might put there. */
function word(text: string): string {
  return /^(?=.{4,60}$)(?:[A-Z]{1,4}[a-z]{2,})+$/.test(text) ? text : 'it does not say why';
}

function noRole(): Failure {
  return new Failure('misconfigured', 'this instance has no IAM role', {
    remedy: 'attach an instance profile that may call ecr:GetAuthorizationToken, or give credentials by a profile',
  });
}

function unusable(whom: string, why: string): Failure {
  return new Failure('invalid-response', `${whom} answered, but ${why}`, {
    remedy: "check the instance profile's role and its trust policy, and that nothing else answers in its place",
  });
}
