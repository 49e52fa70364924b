import type { KubernetesObject } from '../../../schemas/kubernetes.ts';
import { KubernetesError } from '../kubernetes-error.ts';
import { notOurs } from '../parse-answer.ts';
import type { Watching } from './watch-list.ts';

/** `undefined`: it has not the shape that its readers rely on. It is reported and skipped; the others are as good as before. */
export function readObject<T, K extends KubernetesObject>(
  { request, handlers }: Watching<T, K>,
  object: T,
): K | undefined {
  try {
    return request.keep(object);
  } catch (error) {
    handlers.trouble(error instanceof KubernetesError ? error : unreadable(request.resource.kind));
    return undefined;
  }
}

function unreadable(kind: string): KubernetesError {
  return notOurs(`watch ${kind}`, 'has an object that cannot be read; it is skipped');
}
