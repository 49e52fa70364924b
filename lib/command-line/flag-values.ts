import { Failure } from '../failure.ts';
import { parseGoDuration } from '../go-duration.ts';

/** The values on the command line, by flag with its dashes. A flag that was not given is absent. */
export type FlagValues = Readonly<Record<string, string>>;

export function textFlag(flags: FlagValues, flag: string, fallback: string): string {
  return flags[flag] ?? fallback;
}

/** `parseCommandLine` has made the text of a switch `true` or `false`. */
export function switchFlag(flags: FlagValues, flag: string, fallback: boolean): boolean {
  return flags[flag] === undefined ? fallback : flags[flag] === 'true';
}

export function durationFlag(flags: FlagValues, flag: string, fallbackMs: number): number {
  const text = flags[flag];
  if (text === undefined) return fallbackMs;
  const durationMs = parseGoDuration(text);
  if (durationMs === undefined) throw invalidValue(flag, 'a duration', 'write it like 15s, 1m30s or 500ms');
  return durationMs;
}

export interface NumberRange {
  readonly lowest: number;
  readonly highest: number;
}

export function wholeNumberFlag(flags: FlagValues, flag: string, fallback: number, range: NumberRange): number {
  const text = flags[flag];
  if (text === undefined) return fallback;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= range.lowest && number <= range.highest) return number;
  throw invalidValue(flag, 'in its range', `give a whole number from ${range.lowest} to ${range.highest}`);
}

/** The message does not quote the value: a user who mixes up two flags may have put a password there. */
function invalidValue(flag: string, expected: string, remedy: string): Failure {
  return new Failure('misconfigured', `the value of ${flag} is not ${expected}`, { remedy });
}
