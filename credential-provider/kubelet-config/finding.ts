/** Something about a file that the kubelet is to read. */
export interface LintFinding {
  /** `error`: the kubelet does not start with it. `warning`: it starts, and it is hardly what is meant. */
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** Absent: it is about the file, or the directory, as a whole. */
  readonly line?: number;
  readonly what: string;
  readonly remedy: string;
}

/** About a place in a file that could be read. */
export interface Mistake {
  readonly severity: LintFinding['severity'];
  readonly path: readonly PropertyKey[];
  readonly what: string;
  readonly remedy: string;
}

export function lintError(path: Mistake['path'], what: string, remedy: string): Mistake {
  return { severity: 'error', path, what, remedy };
}

/** A line for people. */
export function findingText({ severity, remedy, ...finding }: LintFinding): string {
  return `${severity} ${locatedText(finding)}; hint: ${remedy}`;
}

export function locatedText({ file, line, what }: Pick<LintFinding, 'file' | 'line' | 'what'>): string {
  return `${line === undefined ? file : `${file}:${line}`}: ${what}`;
}
