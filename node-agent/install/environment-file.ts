import { Failure } from '../../lib/failure.ts';

/**
 * `NAME=VALUE` lines, as systemd reads them: with single or double quotes, or none. Comments and other lines count as
 * none. https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#EnvironmentFile=
 */
export function parseEnvironmentFile(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const { name, value } = assignment.exec(line)?.groups ?? {};
      return name === undefined || value === undefined ? [] : [[name, unquote(value.trim())]];
    }),
  );
}

const assignment = /^\s*(?<name>[A-Za-z_]\w*)=(?<value>.*)$/;

function unquote(value: string): string {
  return /^(?<quote>["'])(?<text>.*)\k<quote>$/.exec(value)?.groups?.['text'] ?? value;
}

/** Sets one variable and leaves all other lines as they are. The last line with its name counts, so that is replaced. */
export function setVariable(text: string, name: string, value: string): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const at = lines.findLastIndex((line) => assignment.exec(line)?.groups?.['name'] === name);
  const line = `${name}="${value}"`;
  const changed = at < 0 ? [...lines, line] : lines.with(at, line);
  return `${changed.join('\n')}\n`;
}

/**
 * The value of a variable that is to be set anew. Refused is one with quotes within quotes, an escape, or more than one
 * line: it would come out as something else, with which the kubelet would not start. `file`: for the message.
 */
export function plainValue(text: string, name: string, file: string): string {
  const value = parseEnvironmentFile(text)[name] ?? '';
  if (!/["'\\]/.test(value)) return value;
  throw new Failure('misconfigured', `${name} in ${file} has quotes within quotes, an escape, or several lines`, {
    remedy: 'write it as one line with quotes only around it, or set the two flags of the kubelet by hand',
  });
}
