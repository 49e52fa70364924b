/** A violation of a rule of this repository, and its location. */
export interface StructureFinding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
  readonly rule: string;
  readonly remedy: string;
}

export function formatFinding(finding: StructureFinding): string {
  return `${finding.path}:${finding.line}: ${finding.what} (${finding.rule}) — ${finding.remedy}`;
}
