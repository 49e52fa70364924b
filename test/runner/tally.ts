import type { TestPoint } from './tap-tree.ts';

export interface Tally {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
}

export interface Failure {
  /** The names from the file inwards. */
  readonly names: readonly string[];
  readonly reason: string;
}

export interface Skip {
  readonly names: readonly string[];
  readonly reason: string;
}

/**
 * Counts tests, not assertions: a table of a thousand hosts in one test is one promise kept. A test is a named block
 * (or a file) that asserts something itself and has no blocks in it; a block around others counts only if it
 * fails on its own account, as a file does that crashes, hangs, or holds no test.
 */
export function tallyFile(file: TestPoint): Tally {
  return tally(file, []);
}

function tally(point: TestPoint, outer: readonly string[]): Tally {
  const names = [...outer, point.name];
  const verdict = directiveResult(point, names);
  if (verdict !== undefined) return verdict;
  const inner = point.children.filter((child) => child.children.length > 0 || child.directive !== undefined);
  const sum = sumTallies(inner.map((child) => tally(child, names)));
  if (!point.ok && sum.failures.length === 0) return sumTallies([sum, failure(names, reasonsOf(point))]);
  const isTest = point.ok && inner.every((child) => child.directive !== undefined) && asserts(point);
  return isTest ? { ...sum, passed: sum.passed + 1 } : sum;
}

/** The result that a test point has for everything inside it. */
function directiveResult(point: TestPoint, names: readonly string[]): Tally | undefined {
  const { directive } = point;
  if (directive?.kind === 'todo') return failure(names, 'left for later; finish it or remove it');
  if (directive?.reason === 'no tests found') return failure(names, 'holds no test');
  if (directive !== undefined) return { passed: 0, failures: [], skips: [{ names, reason: directive.reason }] };
  return undefined;
}

function asserts(point: TestPoint): boolean {
  return point.children.some((child) => child.directive === undefined);
}

function reasonsOf(point: TestPoint): string {
  const failed = point.children.filter((child) => !child.ok);
  return failed.length === 0 ? explain(point) : failed.map((child) => `${child.name}\n${explain(child)}`).join('\n');
}

function explain(point: TestPoint): string {
  return point.diagnostics.join('\n');
}

/** A file that did not get as far as saying so itself. */
export function unfinishedFile(name: string): Tally {
  return failure([name], 'never came to its end');
}

function failure(names: readonly string[], reason: string): Tally {
  return { passed: 0, failures: [{ names, reason }], skips: [] };
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((sum, each) => sum + each.passed, 0),
    failures: tallies.flatMap((each) => each.failures),
    skips: tallies.flatMap((each) => each.skips),
  };
}
