import type { LogFields, LogValue } from '../../schemas/log.ts';
import { printable } from '../printable.ts';
import type { LogEntry } from './log.ts';

export type LogFormat = keyof typeof formats;

export interface LogLine extends LogEntry {
  readonly atWallMs: number;
}

export interface LineSource {
  readonly component: string;
  readonly pid: number;
}

const formats = { text: formatText, json: formatJson };

export const logFormats = Object.keys(formats);

export function isLogFormat(text: string): text is LogFormat {
  return Object.hasOwn(formats, text);
}

/** One line with its line break, whatever the message and the values contain. */
export function formatLine(format: LogFormat, line: LogLine, source: LineSource): string {
  return `${formats[format](line, source)}\n`;
}

/** The format of klog, so that tools for Kubernetes logs can parse it: severity, local time, process, origin. */
function formatText({ atWallMs, severity, message, fields }: LogLine, { component, pid }: LineSource): string {
  const letter = severity === 'error' ? 'E' : 'I';
  const header = `${letter}${klogTime(new Date(atWallMs))} ${String(pid).padStart(7)} ${component}]`;
  const pairs = presentFields(fields).map(([key, value]) => `${key}=${quote(value)}`);
  return [header, quote(message), ...pairs].join(' ');
}

function klogTime(at: Date): string {
  const date = `${twoDigits(at.getMonth() + 1)}${twoDigits(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}000`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** The keys of the JSON logs of Kubernetes, and `level`. Error lines have no verbosity. */
function formatJson({ atWallMs, severity, verbosity, message, fields }: LogLine): string {
  return quote({
    ts: atWallMs,
    level: severity,
    ...(severity === 'info' && { v: verbosity }),
    msg: message,
    ...Object.fromEntries(presentFields(fields)),
  });
}

function presentFields(fields: LogFields): readonly (readonly [string, LogValue])[] {
  return Object.entries(fields).filter((entry): entry is [string, LogValue] => entry[1] !== undefined);
}

function quote(value: unknown): string {
  return printable(JSON.stringify(value));
}
