import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import { invalidResponse } from '../parse-response.ts';
import type { WatchState } from './watch-state.ts';

/** `undefined`: it does not have the type that its readers rely on. It is reported and skipped. */
export function readObject<T, K extends KubernetesObject>(
  { request, handlers }: WatchState<T, K>,
  object: T,
): K | undefined {
  try {
    return request.transform(object);
  } catch (error) {
    handlers.failed(error instanceof KubernetesError ? error : unreadable(request.resource.kind));
    return undefined;
  }
}

function unreadable(kind: string): KubernetesError {
  return invalidResponse(`watch ${kind}`, 'has an object that cannot be read; it is skipped');
}
