import { createLog } from '../../lib/log/log.ts';
import type { Log, LogEntry } from '../../lib/log/log.ts';

export const silentLog: Log = createLog(() => {});

/** One text for each line: its message, and its keys as they stand in the text form. */
export function logInto(write: (line: string) => void, verbosity = 0): Log {
  return createLog((entry) => {
    if (entry.verbosity <= verbosity) write(textOf(entry));
  });
}

function textOf({ message, fields }: LogEntry): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [message, ...pairs].join(' ');
}
