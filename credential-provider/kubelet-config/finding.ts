/** A problem of a file for the kubelet. */
export interface LintFinding {
  /** `error`: the kubelet does not start with it. `warning`: it starts, but something does not work. */
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** Absent: it applies to the whole file or directory. */
  readonly line?: number;
  readonly what: string;
  readonly remedy: string;
}

/** A problem at a place in a file that could be read. */
export interface Mistake {
  readonly severity: LintFinding['severity'];
  readonly path: readonly PropertyKey[];
  readonly what: string;
  readonly remedy: string;
}

export function lintError(path: Mistake['path'], what: string, remedy: string): Mistake {
  return { severity: 'error', path, what, remedy };
}

export function findingText({ severity, remedy, ...finding }: LintFinding): string {
  return `${severity} ${locatedText(finding)}; hint: ${remedy}`;
}

export function locatedText({ file, line, what }: Pick<LintFinding, 'file' | 'line' | 'what'>): string {
  return `${line === undefined ? file : `${file}:${line}`}: ${what}`;
}
