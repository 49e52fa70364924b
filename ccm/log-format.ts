import type { OptionDescription } from '../lib/command-line.ts';
import { Failure } from '../lib/failure.ts';
import { textFlag } from '../lib/flag-values.ts';
import type { FlagTexts } from '../lib/flag-values.ts';

export type LogFormat = keyof typeof formats;

/** One line, for people or with upstream's keys for programs. */
interface LogLine {
  readonly atWallMs: number;
  readonly level: number;
  readonly message: string;
}

const formats = {
  text: ({ atWallMs, message }: LogLine) => `${new Date(atWallMs).toISOString()} ${message}`,
  json: ({ atWallMs, level, message }: LogLine) => JSON.stringify({ ts: atWallMs, v: level, msg: message }),
};

export const logOptions: readonly OptionDescription[] = [
  {
    flag: '--logging-format',
    value: 'FORMAT',
    description: 'text, or json: an object a line with ts (milliseconds), v and msg (default text)',
  },
];

export function readLogFormat(given: FlagTexts): LogFormat {
  const format = textFlag(given, '--logging-format', 'text');
  if (isFormat(format)) return format;
  throw new Failure('misconfigured', 'the value of --logging-format is not one of the formats', {
    remedy: `give ${Object.keys(formats).join(' or ')}`,
  });
}

export function formatLine(format: LogFormat, line: LogLine): string {
  return `${formats[format](line)}\n`;
}

function isFormat(text: string): text is LogFormat {
  return Object.hasOwn(formats, text);
}
