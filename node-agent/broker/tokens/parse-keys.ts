import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { isRecord, textAt } from '../../../lib/kubernetes/record.ts';

/** The issuer's name. https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery */
export function parseDiscovery(body: string): string {
  const document = parseJson(body);
  const issuer = isRecord(document) ? textAt(document, 'issuer') : undefined;
  if (issuer === undefined) throw invalidDocument('has no issuer');
  return issuer;
}

/** By key id. A key that cannot be read is left out: what it signed is not verified. */
export function parseKeys(body: string): ReadonlyMap<string, KeyObject> {
  const set = parseJson(body);
  const listed: unknown = isRecord(set) ? set['keys'] : undefined;
  if (!Array.isArray(listed)) throw invalidDocument('has no keys');
  return new Map(listed.filter(isRecord).flatMap((key) => entryOf(key)));
}

function entryOf(key: Readonly<Record<string, unknown>>): readonly (readonly [string, KeyObject])[] {
  const id = textAt(key, 'kid');
  if (id === undefined) return [];
  try {
    return [[id, createPublicKey({ key, format: 'jwk' })]];
  } catch {
    return [];
  }
}

function invalidDocument(what: string): Failure {
  return new Failure('invalid-response', `the API server's token issuer document ${what}`, {
    remedy: 'check that the API server itself responds at its address',
  });
}
