import { logLines } from '../../schemas/log.ts';
import type { Severity } from '../../schemas/log-keys.ts';
import type { LineFields, LineName, LogFields } from '../../schemas/log.ts';

/** The log of programs, clouds and lib/. */
export interface Log {
  /** A line of `schemas/log.ts`. */
  standard<Name extends LineName>(name: Name, fields: LineFields<Name>): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Only written with `-v 1` or a higher level. */
  debug(message: string, fields?: LogFields): void;
}

export interface LogEntry {
  readonly severity: Severity;
  /** 0: always written. */
  readonly verbosity: number;
  readonly message: string;
  readonly fields: LogFields;
}

/** `write` decides on the format, the destination and the level. */
export function createLog(write: (entry: LogEntry) => void): Log {
  return {
    standard: (name, fields) => write({ ...logLines[name], verbosity: 0, fields }),
    info: (message, fields = {}) => write({ severity: 'info', verbosity: 0, message, fields }),
    error: (message, fields = {}) => write({ severity: 'error', verbosity: 0, message, fields }),
    debug: (message, fields = {}) => write({ severity: 'info', verbosity: 1, message, fields }),
  };
}
