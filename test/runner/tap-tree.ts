/** A line `ok` or `not ok` of TAP, with the ones that were reported inside of it. */
export interface TestPoint {
  readonly ok: boolean;
  readonly name: string;
  /** Absent: the output does not have it. */
  readonly durationMs?: number;
  readonly directive?: Directive;
  readonly children: readonly TestPoint[];
  /** What stands between `---` and `...`, without its indentation. */
  readonly diagnostics: string[];
}

export interface Directive {
  readonly kind: 'skip' | 'todo';
  readonly reason: string;
}

export interface TapReader {
  /** Takes one line, and returns a whole test file's point as soon as nothing of it can follow. */
  read(line: string): TestPoint | undefined;
  /** The last one, which nothing follows. */
  end(): TestPoint | undefined;
}

const pointLine = /^(?<indent>(?: {4})*)(?<not>not )?ok\b(?: \d+)?(?: - (?<text>.*))?$/;
const directivePart = /(?<!\\)# (?<kind>SKIP|TODO)\b\s*(?<reason>.*)$/i;
const timePart = /\s*(?<!\\)# time=(?<value>[\d.]+)(?<unit>ms|s)$/;

/** A file's point comes after those inside of it and before its own diagnostics, as TAP 14 has it. */
export function createTapReader(): TapReader {
  /** By depth, those whose enclosing point has not come yet. */
  const waiting: TestPoint[][] = [];
  let latest: { point: TestPoint; indent: string; inDiagnostics: boolean } | undefined;

  function read(line: string): TestPoint | undefined {
    if (latest !== undefined && isDiagnostic(latest, line)) return undefined;
    const groups = pointLine.exec(line)?.groups;
    const whole = end();
    if (groups !== undefined) take(groups['indent'] ?? '', groups['not'] === undefined, groups['text'] ?? '');
    return whole;
  }

  function take(indent: string, ok: boolean, text: string): void {
    const depth = indent.length / 4;
    const point = { ok, ...parseText(text), children: waiting[depth + 1] ?? [], diagnostics: [] };
    waiting.length = Math.min(waiting.length, depth + 1);
    while (waiting.length <= depth) waiting.push([]);
    waiting[depth]?.push(point);
    latest = { point, indent, inDiagnostics: false };
  }

  function end(): TestPoint | undefined {
    latest = undefined;
    return waiting.length === 1 ? waiting.pop()?.[0] : undefined;
  }

  return { read, end };
}

function isDiagnostic(latest: { point: TestPoint; indent: string; inDiagnostics: boolean }, line: string): boolean {
  const start = `${latest.indent}  `;
  if (!latest.inDiagnostics) {
    latest.inDiagnostics = line === `${start}---`;
    return latest.inDiagnostics;
  }
  // A test that is killed may leave them open; a line with less indentation belongs to another test.
  latest.inDiagnostics = line !== `${start}...` && (line.trim() === '' || line.startsWith(start));
  if (latest.inDiagnostics) latest.point.diagnostics.push(line.slice(start.length));
  return latest.inDiagnostics || line === `${start}...`;
}

function parseText(text: string): Pick<TestPoint, 'name' | 'durationMs' | 'directive'> {
  const rest = text.replace(timePart, '');
  const groups = directivePart.exec(rest)?.groups;
  const name = rest.replace(directivePart, '').trim().replaceAll('\\#', '#');
  const durationMs = durationMsOf(text);
  const named = { name, ...(durationMs !== undefined && { durationMs }) };
  if (groups === undefined) return named;
  const kind = groups['kind']?.toLowerCase() === 'skip' ? 'skip' : 'todo';
  return { ...named, directive: { kind, reason: groups['reason'] ?? '' } };
}

function durationMsOf(text: string): number | undefined {
  const time = timePart.exec(text)?.groups;
  if (time === undefined) return undefined;
  return Number(time['value']) * (time['unit'] === 's' ? 1_000 : 1);
}
