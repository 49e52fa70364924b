import { helpText } from './help.ts';
import type { CommandDescription, OptionDescription, ProgramDescription } from './program-description.ts';
import { versionLine } from './version.ts';

export type CommandLine =
  | {
      readonly kind: 'run';
      /** Absent: the program's main task. */
      readonly command?: ParsedCommand;
      /** Values by flag, dashes included; a flag that was not given is absent. A switch is `true` or `false`. */
      readonly options: Readonly<Record<string, string>>;
      readonly verbosity: number;
    }
  /** Print this to standard output and exit 0. */
  | { readonly kind: 'print'; readonly text: string }
  /** Print this to standard error and exit with `wrongUsageExitCode`. */
  | { readonly kind: 'wrong-usage'; readonly line: string };

export interface ParsedCommand {
  readonly name: string;
  /** As many as the command takes. */
  readonly operands: readonly string[];
}

export const wrongUsageExitCode = 2;

/** `args` are the arguments after the program's name. */
export function parseCommandLine(program: ProgramDescription, args: readonly string[]): CommandLine {
  let state: ParseState = { options: {}, command: undefined, rest: args };
  while (state.rest.length > 0) {
    const next = readNext(program, state);
    if ('kind' in next) return next;
    state = next;
  }
  return finish(program, state);
}

/** The arguments that are parsed so far, and the rest. */
interface ParseState {
  readonly options: Readonly<Record<string, string>>;
  readonly command: ParsedCommand | undefined;
  readonly rest: readonly string[];
}

const verbosityOption = {
  flag: '-v',
  value: 'LEVEL',
  description: 'what to log on standard error: 0 only failures, 1 each step too',
} as const satisfies OptionDescription;

function readNext(program: ProgramDescription, state: ParseState): ParseState | CommandLine {
  const [arg = '', ...rest] = state.rest;
  const { flag, attached } = splitArgument(arg);
  const text = attached === undefined ? textToPrint(program, flag) : undefined;
  if (text !== undefined) return { kind: 'print', text };
  const option = knownOptions(program).find((candidate) => candidate.flag === flag);
  if (option === undefined) return readPositional(program, state, arg);
  if (flag in state.options) return wrongUsage(program, `${flag} is given more than once`);
  const read = option.value === undefined ? readSwitch(attached, rest) : readValue(attached, rest);
  if (read.value === '') return wrongUsage(program, `${flag} needs a value, ${option.value ?? 'true or false'}`);
  return { ...state, options: { ...state.options, [flag]: read.value }, rest: read.rest };
}

/** Options of all commands, at any position. `finish` checks that the command of an option is given too. */
function knownOptions(program: ProgramDescription): readonly OptionDescription[] {
  return [...program.options, ...(program.commands ?? []).flatMap(({ options }) => options), verbosityOption];
}

/** `--flag=value` and `-v=1` are one argument, as in Go programs. */
function splitArgument(arg: string): { readonly flag: string; readonly attached: string | undefined } {
  const equalsAt = arg.startsWith('-') ? arg.indexOf('=') : -1;
  if (equalsAt < 0) return { flag: arg, attached: undefined };
  return { flag: arg.slice(0, equalsAt), attached: arg.slice(equalsAt + 1) };
}

function textToPrint(program: ProgramDescription, flag: string): string | undefined {
  if (flag === '--version') return `${versionLine(program.name)}\n`;
  if (flag === '--help') return helpText(program, verbosityOption);
  return undefined;
}

interface ReadValue {
  /** Empty: there is no usable value. */
  readonly value: string;
  readonly rest: readonly string[];
}

function readValue(attached: string | undefined, rest: readonly string[]): ReadValue {
  return attached === undefined ? { value: rest[0] ?? '', rest: rest.slice(1) } : { value: attached, rest };
}

const switchTexts: ReadonlyMap<string, string> = new Map([
  ...['true', 'True', 'TRUE', 't', 'T', '1'].map((text) => [text, 'true'] as const),
  ...['false', 'False', 'FALSE', 'f', 'F', '0'].map((text) => [text, 'false'] as const),
]);

/** As in Go's flags, `--flag false` is the switch and a separate argument. */
function readSwitch(attached: string | undefined, rest: readonly string[]): ReadValue {
  return { value: attached === undefined ? 'true' : (switchTexts.get(attached) ?? ''), rest };
}

/** A command's name, and after it its operands. */
function readPositional(program: ProgramDescription, state: ParseState, positional: string): ParseState | CommandLine {
  const rest = state.rest.slice(1);
  const { command } = state;
  if (command === undefined) {
    const names = [positional, `${positional} ${rest[0] ?? ''}`];
    const name = names.find((candidate) => program.commands?.some((known) => known.name === candidate));
    if (name !== undefined) {
      return { ...state, command: { name, operands: [] }, rest: rest.slice(name === positional ? 0 : 1) };
    }
  } else if (takesOperand(program, command) && /^[^-]/.test(positional)) {
    return { ...state, command: { ...command, operands: [...command.operands, positional] }, rest };
  }
  return wrongUsage(program, `unknown argument ${quote(positional)}`);
}

/** Whether the command takes one more operand. */
function takesOperand(program: ProgramDescription, command: ParsedCommand): boolean {
  const operand = findCommand(program, command)?.operand;
  return operand !== undefined && (command.operands.length === 0 || operand.endsWith('…'));
}

function findCommand(program: ProgramDescription, command: ParsedCommand | undefined): CommandDescription | undefined {
  return program.commands?.find(({ name }) => name === command?.name);
}

function finish(program: ProgramDescription, { options: values, command }: ParseState): CommandLine {
  const description = findCommand(program, command);
  if (description?.operand !== undefined && command?.operands.length === 0) {
    return wrongUsage(program, `${description.name} needs ${description.operand}`);
  }
  const misplaced = Object.keys(values).find((flag) => !acceptsFlag(program, description, flag));
  if (misplaced !== undefined) return wrongUsage(program, `${misplaced} belongs to another command`);
  const { [verbosityOption.flag]: level = '0', ...options } = values;
  if (!/^\d{1,2}$/.test(level)) return wrongUsage(program, `-v needs a whole number, got ${quote(level)}`);
  return { kind: 'run', ...(command !== undefined && { command }), options, verbosity: Number(level) };
}

function acceptsFlag(program: ProgramDescription, command: CommandDescription | undefined, flag: string): boolean {
  return [...program.options, ...(command?.options ?? []), verbosityOption].some((option) => option.flag === flag);
}

function wrongUsage(program: ProgramDescription, reason: string): CommandLine {
  return { kind: 'wrong-usage', line: `${program.name}: ${reason}; hint: see ${program.name} --help` };
}

const maxQuoteCharacters = 80;

/** Always one line. */
export function quote(arg: string): string {
  const short = arg.length > maxQuoteCharacters ? `${arg.slice(0, maxQuoteCharacters)}…` : arg;
  return JSON.stringify(short);
}
