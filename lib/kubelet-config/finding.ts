import type { FileMistake } from '../config/schema-mistakes.ts';

/** A problem of a configuration file. */
export interface LintFinding {
  /** `error`: the program that reads it does not start with it. `warning`: it starts, but something does not work. */
  readonly severity: 'error' | 'warning';
  /** Stays the same from version to version. */
  readonly code: LintCode;
  readonly file: string;
  /** Absent: it applies to the whole file or directory. */
  readonly line?: number;
  /** As `providers[0].name`; absent: it applies to no key. */
  readonly key?: string;
  readonly what: string;
  readonly remedy: string;
}

export type LintCode =
  | FileMistake['code']
  | 'unreadable'
  | 'unknown-kind'
  | 'vendor-format'
  | 'refused-by-cloud'
  | 'no-provider'
  | 'repeated-name'
  | 'missing-executable'
  | 'matches-nothing'
  | 'no-required-annotation';

/** A problem at a place in a file that could be read. */
export interface Mistake {
  readonly severity: LintFinding['severity'];
  readonly code: LintCode;
  readonly path: readonly PropertyKey[];
  readonly what: string;
  readonly remedy: string;
}

export function lintError(code: LintCode, path: Mistake['path'], what: string, remedy: string): Mistake {
  return { severity: 'error', code, path, what, remedy };
}

export function locatedText({ file, line, what }: Pick<LintFinding, 'file' | 'line' | 'what'>): string {
  return `${line === undefined ? file : `${file}:${line}`}: ${what}`;
}
