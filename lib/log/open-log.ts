import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { OptionDescription } from '../command-line/program-description.ts';
import { Failure } from '../failure.ts';
import { textFlag } from '../command-line/flag-values.ts';
import type { FlagValues } from '../command-line/flag-values.ts';
import { failureText } from '../failure-text.ts';
import { standardError, writeAll } from '../write-all.ts';
import { failureFields } from './failure-fields.ts';
import { formatLine, isLogFormat, logFormats } from './format-line.ts';
import type { LineSource, LogFormat } from './format-line.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';

export const logOptions: readonly OptionDescription[] = [
  {
    flag: '--logging-format',
    value: 'FORMAT',
    description:
      "text: klog's form; json: an object per line with ts (milliseconds), level, v, msg and keys (default text)",
  },
];

export function readLogFormat(given: FlagValues): LogFormat {
  const format = textFlag(given, '--logging-format', 'text');
  if (isLogFormat(format)) return format;
  throw new Failure('misconfigured', 'the value of --logging-format is not one of the formats', {
    remedy: `give ${logFormats.join(' or ')}`,
  });
}

export interface LogSettings {
  readonly format: LogFormat;
  /** The value of `-v`. */
  readonly verbosity: number;
  readonly source: LineSource;
}

export interface LogOutput {
  readonly clock: Pick<Clock, 'wallMs'>;
  write(line: string): void;
}

export function createDaemonLog({ format, verbosity, source }: LogSettings, { clock, write }: LogOutput): Log {
  return createLog((entry) => {
    if (entry.verbosity <= verbosity) write(formatLine(format, { atWallMs: clock.wallMs(), ...entry }, source));
  });
}

/** The log of this process, on standard error. */
export function openLog(component: string, format: LogFormat, verbosity: number): Log {
  return createDaemonLog(
    { format, verbosity, source: { component, pid: process.pid } },
    { clock: systemClock, write: (line) => writeAll(standardError, line) },
  );
}

/** The reason why the program ends; in text format the same line that any command prints, and the details below. */
export function logExitReason(program: string, format: LogFormat, error: unknown): void {
  const details = error instanceof Failure ? error.details : [];
  if (format === 'json') {
    const fields = { ...failureFields(error), ...(details.length > 0 && { details }) };
    openLog(program, format, 0).standard('failed', fields);
  } else {
    writeAll(standardError, `${[`${program}: ${failureText(error)}`, ...details].join('\n')}\n`);
  }
}
