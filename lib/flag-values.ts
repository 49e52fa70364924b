import { Failure } from './failure.ts';
import { parseGoDuration } from './go-duration.ts';

/** What the command line gave, by flag with its dashes; a flag that was not given is absent. */
export type FlagTexts = Readonly<Record<string, string>>;

export function textFlag(given: FlagTexts, flag: string, absent: string): string {
  return given[flag] ?? absent;
}

/** A switch's text is `true` or `false` by the time it is here. */
export function switchFlag(given: FlagTexts, flag: string, absent: boolean): boolean {
  return given[flag] === undefined ? absent : given[flag] === 'true';
}

export function durationFlag(given: FlagTexts, flag: string, absentMs: number): number {
  const text = given[flag];
  if (text === undefined) return absentMs;
  const durationMs = parseGoDuration(text);
  if (durationMs === undefined) throw wrongValue(flag, 'a duration', 'write it like 15s, 1m30s or 500ms');
  return durationMs;
}

export interface NumberRange {
  readonly lowest: number;
  readonly highest: number;
}

export function wholeNumberFlag(given: FlagTexts, flag: string, absent: number, range: NumberRange): number {
  const text = given[flag];
  if (text === undefined) return absent;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= range.lowest && number <= range.highest) return number;
  throw wrongValue(flag, 'in its range', `give a whole number from ${range.lowest} to ${range.highest}`);
}

/** The text itself is not quoted: whoever mixes up two flags may have put a password there. */
function wrongValue(flag: string, expected: string, remedy: string): Failure {
  return new Failure('misconfigured', `the value of ${flag} is not ${expected}`, { remedy });
}
