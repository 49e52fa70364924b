import { showsSecret } from '../lab/clouds/secrets.ts';

/** Reads along with everything the tests print, and remembers who showed a secret of the lab, never the secret. */
export interface SecretWatch {
  /** The line as it may be shown to people. */
  pass(line: string, origin: string): string;
  readonly origins: ReadonlySet<string>;
}

export function createSecretWatch(): SecretWatch {
  const origins = new Set<string>();
  return {
    origins,
    pass: (line, origin) => {
      if (!showsSecret(line)) return line;
      origins.add(origin);
      return `${/^\s*/.exec(line)?.[0] ?? ''}(a line that shows a secret is left out here)`;
    },
  };
}
