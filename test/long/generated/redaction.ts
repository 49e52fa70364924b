import { showsSecret } from '../../lab/clouds/secrets.ts';

/** The text as it may be printed: words that hold a secret are left out. */
export function redact(text: string): string {
  return text
    .split(/(?<=[\s"':,])/)
    .map((part) => (showsSecret(part) ? '(secret)' : part))
    .join('');
}
