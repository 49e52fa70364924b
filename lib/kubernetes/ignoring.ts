import { isKubernetesError } from './kubernetes-error.ts';
import type { KubernetesErrorKind } from './kubernetes-error.ts';

/** Returns `fallback` for an error of these kinds. */
export async function ignoring<T, A>(
  kinds: readonly KubernetesErrorKind[],
  fallback: A,
  run: () => Promise<T>,
): Promise<T | A> {
  try {
    return await run();
  } catch (error) {
    if (kinds.some((kind) => isKubernetesError(error, kind))) return fallback;
    throw error;
  }
}
