import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { IdentityToken } from '../../cloud.ts';
import { GcpTokenClaims } from '../schemas.ts';

const form = /^[\w-]{1,16384}\.(?<claims>[\w-]{1,16384})\.[\w-]{1,16384}$/;
const msPerSecond = 1_000;

/** The claims of a signed token. The signature is not checked here: the receiver of the token checks it. */
export function claimsOf(token: Secret): GcpTokenClaims | undefined {
  const encoded = form.exec(token.reveal())?.groups?.['claims'];
  if (encoded === undefined) return undefined;
  const parsed = GcpTokenClaims.safeParse(parseJson(Buffer.from(encoded, 'base64url').toString('utf8')));
  return parsed.success ? parsed.data : undefined;
}

/** For messages. */
export function describeHolder(token: Secret): string {
  const subject = /^system:serviceaccount:(?<namespace>[a-z0-9-]{1,63}):(?<name>[a-z0-9.-]{1,253})$/;
  const { namespace, name } = subject.exec(claimsOf(token)?.sub ?? '')?.groups ?? {};
  return name === undefined ? 'a holder that is no pod' : `service account ${namespace}/${name}`;
}

export function identityTokenOf(token: Secret, target: string): IdentityToken {
  const expiresAtS = claimsOf(token)?.exp;
  if (expiresAtS !== undefined) return { token, expiresAtMs: expiresAtS * msPerSecond };
  throw new Failure('invalid-response', `${target} answered without a usable identity token`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
