import { randomUUID } from 'node:crypto';
import type { LabResponse, Moment } from '../cloud.ts';
import { secretMarker } from '../secrets.ts';
import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import type { PublicKey } from '../signed-token.ts';
import { createTokenSigner } from '../token-signer.ts';
import type { TokenSigner } from '../token-signer.ts';
import type { Principal } from './state.ts';

let signer: TokenSigner | undefined;

/** Made when it is first needed, since that takes a moment; not part of the state, so that a reset keeps old tokens good. */
function entraSigner(): TokenSigner {
  signer ??= createTokenSigner('RS256');
  return signer;
}

/** What Entra publishes. */
export function entraKey(): PublicKey {
  return entraSigner().publicKey;
}

export interface TokenGrant {
  readonly clientId: string;
  readonly principal: Principal;
  readonly audience: string;
  readonly lifeS: number;
}

export interface GrantedToken {
  readonly token: string;
  readonly expiresAtS: number;
}

const passedS = 60;

/** Tokens for an exchange are of Entra's second version, those for Azure's own services of the first. */
export function grantToken({ clientId, principal, audience, lifeS }: TokenGrant, moment: Moment): GrantedToken {
  const nowS = Math.floor(moment.nowMs / 1000);
  const expiresAtS = nowS + (moment.expiry === 'passed' ? -passedS : lifeS);
  const { tenantId, objectId } = principal;
  const isExchange = audience.startsWith('api://AzureADTokenExchange');
  const version = isExchange
    ? { iss: `https://login.microsoftonline.com/${tenantId}/v2.0`, azp: clientId, ver: '2.0' }
    : { iss: `https://sts.windows.net/${tenantId}/`, appid: clientId, appidacr: '2', idtyp: 'app', ver: '1.0' };
  const token = entraSigner().sign({
    ...version,
    aud: audience,
    oid: objectId,
    sub: objectId,
    tid: tenantId,
    iat: nowS,
    nbf: nowS,
    exp: expiresAtS,
    uti: `${secretMarker}${randomUUID()}`,
  });
  return { token, expiresAtS };
}

export interface TokenHolder {
  readonly objectId: string;
  readonly clientId: string;
  readonly tenantId: string;
  readonly audience: string;
}

/** Who holds one of Entra's tokens; `undefined`: it is none, or past its end. */
export function holderOf(token: string, nowMs: number): TokenHolder | undefined {
  const parsed = parseSignedToken(token);
  if (parsed === undefined || !isSignedBy(parsed, entraKey())) return undefined;
  const { exp, oid, tid, aud, appid, azp } = parsed.claims;
  if (Number(exp) * 1000 <= nowMs) return undefined;
  return { objectId: String(oid), clientId: String(appid ?? azp), tenantId: String(tid), audience: String(aud) };
}

/** A registry signs its own. */
export function signForRegistry(claims: Readonly<Record<string, unknown>>): string {
  return entraSigner().sign({ iss: 'Azure Container Registry', jti: `${secretMarker}${randomUUID()}`, ...claims });
}

export function json(status: number, body: object): LabResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: JSON.stringify(body) };
}
