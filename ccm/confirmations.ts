import { keys } from '../schemas/keys.ts';
import type { Lease } from '../schemas/kubernetes.ts';
import type { Controller } from './controller/controller.ts';
import { wordFor } from './lifecycle/scope.ts';

/** More than an operator reads; the Lease must stay small. */
const mostScopes = 50;

/**
 * What the leader leaves on its Lease for `explain`: the value that confirms the deletions of each scope where they are
 * stopped. A kubelet cannot read this Lease. `null` removes what an earlier leader left.
 */
export function confirmationAnnotations(controller: Controller): Readonly<Record<string, string | null>> {
  const stopped = [...controller.scopes().all()].filter(({ open }) => open).slice(0, mostScopes);
  const values = Object.fromEntries(stopped.map((scope) => [scope.key, wordFor(scope)]));
  return { [keys.confirmDeletions]: stopped.length === 0 ? null : JSON.stringify(values) };
}

/** The value for the first of these scopes that has one. */
export function confirmationIn({ metadata }: Lease, scopes: readonly string[]): string | undefined {
  const values = valuesIn(metadata.annotations?.[keys.confirmDeletions]);
  return scopes.map((key) => values.get(key)).find((value) => value !== undefined);
}

/** One that cannot be read says nothing. */
function valuesIn(text = '{}'): ReadonlyMap<string, string> {
  try {
    const entries: readonly (readonly [string, unknown])[] = Object.entries(JSON.parse(text) as object);
    return new Map(entries.flatMap(([key, value]) => (isConfirmation(value) ? [[key, value]] : [])));
  } catch {
    return new Map();
  }
}

function isConfirmation(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value);
}
