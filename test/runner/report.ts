import type { Failure, Skip, Tally } from './tally.ts';

export function formatFile(name: string, tally: Tally, elapsedMs: number): string {
  const counts = [
    `${tally.passed} passed`,
    ...(tally.failures.length > 0 ? [`${tally.failures.length} failed`] : []),
    ...(tally.skips.length > 0 ? [`${tally.skips.length} skipped`] : []),
  ];
  const seconds = (elapsedMs / 1000).toFixed(1);
  return `${tally.failures.length === 0 ? 'ok    ' : 'failed'}  ${name}: ${counts.join(', ')} (at ${seconds} s)`;
}

export function formatFailure({ names, reason }: Failure): string {
  const indented = reason.split('\n').map((line) => `    ${line}`.trimEnd());
  return ['', `not ok: ${names.join(' › ')}`, ...indented].join('\n');
}

export function formatSkips(skips: readonly Skip[]): string {
  const lines = skips.map(({ names, reason }) => `skipped: ${names.join(' › ')}: ${reason || 'no reason given'}`);
  return [...lines, `${skips.length} skipped`].join('\n');
}
