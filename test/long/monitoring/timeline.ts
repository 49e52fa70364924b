import type { Scrape } from '../../lab/prometheus/evaluate.ts';

/**
 * Pages of one program at five moments, stretched over an hour, so that a test of seconds has what alerts look at.
 * `healthy`: from the first page to the second. `broken`: something is stopped or blocked. `failing`: from the fourth page
 * to the fifth everything fails.
 */
export interface Pages {
  readonly labels: Readonly<Record<string, string>>;
  readonly healthy: readonly [string, string];
  readonly broken: string;
  readonly failing: readonly [string, string];
}

const startSeconds = Math.floor(Date.now() / 1_000) - 7_200;
const everySeconds = 60;

/** When a query sees each phase. `gone`: long after the last page. */
export const phases = {
  healthy: startSeconds + 1_800,
  broken: startSeconds + 2_400,
  failing: startSeconds + 3_600,
  gone: startSeconds + 5_400,
} as const;

export function scrapesOf({ labels, healthy, broken, failing }: Pages): readonly Scrape[] {
  const pageAt = (atSeconds: number): string => {
    if (atSeconds < phases.healthy) return healthy[0];
    if (atSeconds === phases.healthy) return healthy[1];
    if (atSeconds <= phases.broken) return broken;
    return atSeconds < phases.failing ? failing[0] : failing[1];
  };
  const count = (phases.failing - startSeconds) / everySeconds + 1;
  return Array.from({ length: count }, (_, index) => startSeconds + index * everySeconds).map((atSeconds) => ({
    atSeconds,
    labels,
    text: pageAt(atSeconds),
  }));
}
