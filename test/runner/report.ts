import type { Failure, Skip, Tally } from './tally.ts';

export interface FileTime {
  readonly name: string;
  readonly durationMs: number;
}

export function formatFile(name: string, tally: Tally, elapsedMs: number): string {
  const counts = [
    `${tally.passed} passed`,
    ...(tally.failures.length > 0 ? [`${tally.failures.length} failed`] : []),
    ...(tally.skips.length > 0 ? [`${tally.skips.length} skipped`] : []),
  ];
  return `${tally.failures.length === 0 ? 'ok    ' : 'failed'}  ${name}: ${counts.join(', ')} (at ${seconds(elapsedMs)} s)`;
}

export function formatFailure({ names, reason }: Failure): string {
  const indented = reason.split('\n').map((line) => `    ${line}`.trimEnd());
  return ['', `not ok: ${names.join(' › ')}`, ...indented].join('\n');
}

export function formatSkips(skips: readonly Skip[]): string {
  const lines = skips.map(({ names, reason }) => `skipped: ${names.join(' › ')}: ${reason || 'no reason given'}`);
  return [...lines, `${skips.length} skipped`].join('\n');
}

const slowestShown = 10;

/** The slowest files, the sum over all files, and the elapsed time. */
export function formatTimes(times: readonly FileTime[], elapsedMs: number): string {
  const slowest = times.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowestShown);
  const width = Math.max(...slowest.map(({ durationMs }) => seconds(durationMs).length));
  const lines = slowest.map(({ name, durationMs }) => `${seconds(durationMs).padStart(width)} s  ${name}`);
  const sumMs = times.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [
    'slowest files:',
    ...lines,
    `${times.length} files, ${seconds(sumMs)} s in sum, ${seconds(elapsedMs)} s elapsed`,
  ].join('\n');
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(1);
}
