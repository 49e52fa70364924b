import { plain } from './paint.ts';
import type { Paint } from './paint.ts';

/** Of one check of a command such as `doctor`. `unknown`: it could not be found out. */
export type Outcome = 'ok' | 'warning' | 'failed' | 'unknown';

const marks: Readonly<Record<Outcome, string>> = { ok: 'ok', warning: '!', failed: 'FAILED', unknown: '?' };
const colours = { ok: 'green', warning: 'yellow', failed: 'red', unknown: 'yellow' } as const;

export const markWidth = Math.max(...Object.values(marks).map(({ length }) => length));

/** For the first column of a table. */
export function markOf(outcome: Outcome, paint: Paint = plain): string {
  return paint(colours[outcome], marks[outcome].padEnd(markWidth));
}
