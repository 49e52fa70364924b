import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';

/** A token that Entra issued for one audience. */
export interface EntraToken {
  readonly token: Secret;
  readonly expiresAtMs?: number;
  /** Its identity, for messages: `this machine's managed identity`. */
  readonly source: string;
}

/** Characters that are valid in a header or a form; anything else did not come from Entra. */
const tokenPattern = /^[\x21-\x7e]{1,16384}$/;

export function looksLikeToken(text: string): boolean {
  return tokenPattern.test(text);
}

export function entraToken(token: string, expiresAtMs: number, source: string): EntraToken {
  return { token: new Secret(token), source, ...(Number.isFinite(expiresAtMs) && { expiresAtMs }) };
}

export function noToken(target: string): Failure {
  return new Failure('invalid-response', `${target} answered without a usable token`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
