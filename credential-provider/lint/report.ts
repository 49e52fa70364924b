import { plain } from '../../lib/command-line/paint.ts';
import type { Paint } from '../../lib/command-line/paint.ts';
import { printable } from '../../lib/printable.ts';
import { locatedText } from '../../lib/kubelet-config/finding.ts';
import type { LintFinding } from '../../lib/kubelet-config/finding.ts';
import type { LintedPath } from './lint-path.ts';

/** Whether the programs that read these files start with them. */
export function isUsable({ findings }: LintedPath): boolean {
  return findings.every(({ severity }) => severity !== 'error');
}

/** For people: a line for each finding, and one for each kind of file. */
export function lintText(linted: readonly LintedPath[], paint: Paint = plain): string {
  const findings = linted.flatMap((each) => each.findings.map((finding) => findingText(finding, paint)));
  const verdicts = (['polycloud', 'kubelet'] as const).flatMap((reader) => {
    const read = linted.filter((each) => each.reader === reader);
    return read.length === 0 ? [] : [verdictText(reader, read.every(isUsable), paint)];
  });
  return [...findings, ...verdicts].map((line) => `${line}\n`).join('');
}

export function findingText({ severity, remedy, ...finding }: LintFinding, paint: Paint = plain): string {
  const mark = paint(severity === 'error' ? 'red' : 'yellow', severity);
  return `${mark} ${printable(locatedText(finding))}; hint: ${printable(remedy)}`;
}

function verdictText(reader: LintedPath['reader'], isGood: boolean, paint: Paint): string {
  const who = reader === 'kubelet' ? 'a kubelet' : 'polycloud';
  return isGood ? paint('green', `${who} starts with this`) : paint('red', `${who} does not start with this`);
}

export function lintJson(linted: readonly LintedPath[]): string {
  const report = {
    ok: linted.every(isUsable),
    files: linted.map(({ path, reader, findings }) => ({
      path,
      reader,
      ok: isUsable({ path, reader, findings }),
      findings,
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
