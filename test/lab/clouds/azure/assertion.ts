import type { LabRequest, Moment } from '../cloud.ts';
import { isSignedBy, isSignedByHolderOf, parseSignedToken } from '../signed-token.ts';
import type { PublicKey, SignedToken } from '../signed-token.ts';
import type { EntraFailure } from './entra-refusal.ts';
import type { AzureState, Principal } from './state.ts';
import { entraKey } from './tokens.ts';

/** One question for a token. */
export interface EntraTokenCall {
  readonly request: LabRequest;
  readonly form: Readonly<Record<string, string>>;
  readonly tenant: string;
  readonly state: AzureState;
  readonly moment: Moment;
}

const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Does the token in the request prove this principal? By its own certificate, or by an issuer that it trusts. */
export function checkAssertion(call: EntraTokenCall, principal: Principal): EntraFailure | undefined {
  const { form, moment } = call;
  const token = parseSignedToken(form['client_assertion'] ?? '');
  if (form['client_assertion_type'] !== type || !token) return [50027, 'JWT token is invalid or malformed.'];
  const isOwn = token.claims['iss'] === form['client_id'];
  const refused = isOwn ? checkOwn(token, call, principal) : checkFederated(token, call, principal);
  if (refused !== undefined) return refused;
  if (Number(token.claims['exp']) * 1000 > moment.nowMs) return undefined;
  return [700024, 'Client assertion is not within its valid time range.'];
}

function checkOwn(
  token: SignedToken,
  { request, tenant }: EntraTokenCall,
  principal: Principal,
): EntraFailure | undefined {
  if (!principal.certificates.some((certificate) => isSignedByHolderOf(token, certificate))) {
    return [700027, 'The certificate used to sign the client assertion is not registered on application.'];
  }
  const expected = `https://${request.host}/${tenant}/oauth2/v2.0/token`;
  if (token.claims['aud'] === expected) return undefined;
  return [700023, `Client assertion audience claim does not match Realm issuer.`];
}

function checkFederated(token: SignedToken, { state }: EntraTokenCall, principal: Principal): EntraFailure | undefined {
  const { iss: issuer, sub: subject, aud } = token.claims;
  const audiences = [aud].flat().map(String);
  const none = 'No matching federated identity record found for presented assertion';
  const ofIssuer = principal.federations.filter((each) => each.issuer === issuer);
  if (ofIssuer.length === 0) return [700211, `${none} issuer '${String(issuer)}'.`];
  const ofSubject = ofIssuer.filter((each) => each.subject === subject);
  if (ofSubject.length === 0) return [700213, `${none} subject '${String(subject)}'.`];
  if (!ofSubject.some((each) => audiences.includes(each.audience))) {
    return [700212, `${none} audience '${audiences.join(' ')}'.`];
  }
  const signed = keysOf(String(issuer), state).some((key) => isSignedBy(token, key));
  return signed ? undefined : [50013, 'Assertion failed signature validation.'];
}

function keysOf(issuer: string, { issuers }: AzureState): readonly PublicKey[] {
  return issuer.startsWith('https://login.microsoftonline.com/') ? [entraKey()] : (issuers[issuer]?.keys ?? []);
}
