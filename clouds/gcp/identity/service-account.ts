import { Failure } from '../../../lib/failure.ts';

/** Address of a service account, in any project and universe. It has no character with a meaning in a path. */
const emailPattern = /^[a-z0-9][a-z0-9._-]{0,100}@(?:[a-z0-9-]{1,63}\.){1,8}gserviceaccount\.com$/;

/** `where` is the source of the address, for the message. */
export function checkServiceAccount(text: string, where: string): string {
  if (emailPattern.test(text)) return text;
  throw new Failure('misconfigured', `${where} is not the e-mail address of a service account`, {
    remedy: 'write it as NAME@PROJECT.iam.gserviceaccount.com',
  });
}

/** The first of these annotations that is present. An empty one counts as absent. */
export function firstAnnotation(
  annotations: Readonly<Record<string, string>>,
  keys: readonly string[],
): { readonly key: string; readonly value: string } | undefined {
  const key = keys.find((candidate) => annotations[candidate]);
  return key === undefined ? undefined : { key, value: annotations[key] ?? '' };
}
