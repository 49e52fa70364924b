import { systemClock } from '../clock.ts';
import type { OptionDescription } from '../command-line.ts';
import { Failure } from '../failure.ts';
import { textFlag } from '../flag-values.ts';
import type { FlagTexts } from '../flag-values.ts';
import { standardError, writeAll } from '../write-all.ts';
import { isLogFormat, logFormats } from './format-line.ts';
import type { LogFormat } from './format-line.ts';
import { createLogger } from './logger.ts';
import type { Logger } from './logger.ts';

export const logOptions: readonly OptionDescription[] = [
  {
    flag: '--logging-format',
    value: 'FORMAT',
    description:
      "text: klog's form; json: an object per line with ts (milliseconds), level, v, msg and keys (default text)",
  },
];

export function readLogFormat(given: FlagTexts): LogFormat {
  const format = textFlag(given, '--logging-format', 'text');
  if (isLogFormat(format)) return format;
  throw new Failure('misconfigured', 'the value of --logging-format is not one of the formats', {
    remedy: `give ${logFormats.join(' or ')}`,
  });
}

/** The log of this process, on standard error. */
export function openLogger(component: string, format: LogFormat, verbosity: number): Logger {
  return createLogger({
    format,
    verbosity,
    component,
    pid: process.pid,
    clock: systemClock,
    write: (line) => writeAll(standardError, line),
  });
}
