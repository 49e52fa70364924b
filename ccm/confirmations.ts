import { keys } from '../schemas/keys.ts';
import type { Lease } from '../schemas/kubernetes.ts';
import type { NodeController } from './node-controller/controller.ts';
import { confirmationTokenFor } from './lifecycle/scope.ts';

/** More than an operator reads; the Lease must stay small. */
const maxScopes = 50;

/**
 * The annotation on the leader's Lease, for `explain`: the token that confirms deletions, for each scope that has stopped
 * them. A kubelet cannot read this Lease. `null` removes the annotation of an earlier leader.
 */
export function confirmationAnnotations(controller: NodeController): Readonly<Record<string, string | null>> {
  const stopped = [...controller.scopes().all()].filter(({ open }) => open).slice(0, maxScopes);
  const values = Object.fromEntries(stopped.map((scope) => [scope.key, confirmationTokenFor(scope)]));
  return { [keys.confirmDeletions]: stopped.length === 0 ? null : JSON.stringify(values) };
}

/** The value for the first of these scopes that has one. */
export function readConfirmation({ metadata }: Lease, scopes: readonly string[]): string | undefined {
  const values = parseConfirmations(metadata.annotations?.[keys.confirmDeletions]);
  return scopes.map((key) => values.get(key)).find((value) => value !== undefined);
}

/** An invalid annotation has no tokens. */
function parseConfirmations(text = '{}'): ReadonlyMap<string, string> {
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
