import { versionLine } from './version.ts';

/** What a program can be told on its command line, besides what all programs share. */
export interface ProgramDescription {
  readonly name: string;
  /** What it does, for `--help`: an imperative sentence. */
  readonly summary: string;
  readonly options: readonly OptionDescription[];
}

export interface OptionDescription {
  /** With its dashes: `--config`. */
  readonly flag: string;
  /** The word that stands for its value: `FILE`. */
  readonly value: string;
  readonly description: string;
}

export type CommandLine =
  | {
      readonly kind: 'run';
      /** Values by flag, dashes included; a flag that was not given is absent. */
      readonly options: Readonly<Record<string, string>>;
      readonly verbosity: number;
    }
  /** Print this to standard output and exit 0. */
  | { readonly kind: 'print'; readonly text: string }
  /** Print this to standard error and exit with `wrongUsageExitCode`. */
  | { readonly kind: 'wrong-usage'; readonly line: string };

export const wrongUsageExitCode = 2;

/** `args` are the arguments after the program's name. */
export function parseCommandLine(program: ProgramDescription, args: readonly string[]): CommandLine {
  const known = [...program.options, verbosityOption];
  const options: Record<string, string> = {};
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const { flag, attached } = splitArgument(arg);
    const text = attached === undefined ? textToPrint(program, flag) : undefined;
    if (text !== undefined) return { kind: 'print', text };
    const option = known.find((candidate) => candidate.flag === flag);
    if (option === undefined) return wrongUsage(program, `unknown argument ${quote(arg)}`);
    if (flag in options) return wrongUsage(program, `${flag} is given more than once`);
    const value = attached ?? args[(index += 1)] ?? '';
    if (value === '') return wrongUsage(program, `${flag} needs a value, ${option.value}`);
    options[flag] = value;
  }
  return withVerbosity(program, options);
}

const verbosityOption: OptionDescription = {
  flag: '-v',
  value: 'LEVEL',
  description: 'how much to say on standard error: 0 only what went wrong, 1 each step too',
};

const sharedLines: readonly (readonly [string, string])[] = [
  [`${verbosityOption.flag} ${verbosityOption.value}`, verbosityOption.description],
  ['--version', 'print name, version, commit and Node version'],
  ['--help', 'print this'],
];

/** `--flag=value` and `-v=1` are one argument, as the programs that users come from have it. */
function splitArgument(arg: string): { readonly flag: string; readonly attached: string | undefined } {
  const equalsAt = arg.startsWith('-') ? arg.indexOf('=') : -1;
  if (equalsAt < 0) return { flag: arg, attached: undefined };
  return { flag: arg.slice(0, equalsAt), attached: arg.slice(equalsAt + 1) };
}

function textToPrint(program: ProgramDescription, flag: string): string | undefined {
  if (flag === '--version') return `${versionLine(program.name)}\n`;
  if (flag === '--help') return helpText(program);
  return undefined;
}

function helpText(program: ProgramDescription): string {
  const ownLines = program.options.map((option) => [`${option.flag} ${option.value}`, option.description] as const);
  const lines: readonly (readonly [string, string])[] = [...ownLines, ...sharedLines];
  const width = Math.max(...lines.map(([left]) => left.length));
  const table = lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
  return `${program.summary}\n\nUsage: ${program.name} [OPTION]…\n\n${table}`;
}

function withVerbosity(program: ProgramDescription, given: Readonly<Record<string, string>>): CommandLine {
  const { [verbosityOption.flag]: level, ...options } = given;
  if (level === undefined) return { kind: 'run', options, verbosity: 0 };
  if (!/^\d{1,2}$/.test(level)) return wrongUsage(program, `-v needs a whole number, got ${quote(level)}`);
  return { kind: 'run', options, verbosity: Number(level) };
}

function wrongUsage(program: ProgramDescription, reason: string): CommandLine {
  return { kind: 'wrong-usage', line: `${program.name}: ${reason}; ${program.name} --help lists what it understands` };
}

const longestQuoteCharacters = 80;

/** Always one line, whatever somebody passed. */
function quote(arg: string): string {
  const short = arg.length > longestQuoteCharacters ? `${arg.slice(0, longestQuoteCharacters)}…` : arg;
  return JSON.stringify(short);
}
