import { showsSecret } from '../lab/clouds/secrets.ts';

/** Reads along with everything the tests print, and remembers who showed a secret of the lab, never the secret. */
export interface SecretFilter {
  /** The line as it may be shown to people. */
  redact(line: string, origin: string): string;
  readonly origins: ReadonlySet<string>;
}

export function createSecretFilter(): SecretFilter {
  const origins = new Set<string>();
  return {
    origins,
    redact: (line, origin) => {
      if (!showsSecret(line)) return line;
      origins.add(origin);
      return `${/^\s*/.exec(line)?.[0] ?? ''}(a line that shows a secret is left out here)`;
    },
  };
}
