import { logLines } from '../../schemas/log.ts';
import type { LineFields, LineName, LogFields, Severity } from '../../schemas/log.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { formatLine } from './format-line.ts';
import type { LogFormat } from './format-line.ts';

/** The log of a daemon: lines with a severity and keys. As a `Log` it serves the parts that only have sentences. */
export interface Logger extends Log {
  /** A line of `schemas/log.ts`. */
  standard<Name extends LineName>(name: Name, fields: LineFields<Name>): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Only written with `-v LEVEL` or a higher level. */
  verbose(level: number, message: string, fields?: LogFields): void;
}

export interface LoggerParts {
  readonly format: LogFormat;
  /** The value of `-v`. */
  readonly verbosity: number;
  readonly component: string;
  readonly pid: number;
  readonly clock: Pick<Clock, 'wallMs'>;
  write(line: string): void;
}

export function createLogger({ format, verbosity, component, pid, clock, write }: LoggerParts): Logger {
  const source = { component, pid };
  const add = (severity: Severity, level: number, message: string, fields: LogFields = {}): void => {
    if (level > verbosity) return;
    write(formatLine(format, { atWallMs: clock.wallMs(), severity, verbosity: level, message, fields }, source));
  };
  return {
    standard: (name, fields) => {
      const { severity, message } = logLines[name];
      add(severity, 0, message, fields);
    },
    info: (message, fields) => add('info', 0, message, fields),
    error: (message, fields) => add('error', 0, message, fields),
    verbose: (level, message, fields) => add('info', level, message, fields),
    say: (message) => add('info', 0, message),
    step: (message) => add('info', 1, message),
  };
}
