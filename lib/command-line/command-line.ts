import type { FlagValues } from './flag-values.ts';
import type { CommandDescription, OptionDescription, ProgramDescription } from './program-description.ts';
import {
  commandsBelow,
  commandsOf,
  helpOption,
  sharedOptions,
  shells,
  verbosityOption,
  versionOption,
  wantsJson,
} from './shared-options.ts';

export type CommandLine =
  | {
      readonly kind: 'run';
      /** Absent: the program's main task. */
      readonly command?: ParsedCommand;
      /** Values by flag, dashes included; a flag that was not given is absent. A switch is `true` or `false`. */
      readonly options: FlagValues;
      readonly verbosity: number;
    }
  | SharedRequest
  | WrongUsage;

/** What every program does in the same way. */
export type SharedRequest =
  /** `topic` is a command, or the first word of several. Absent: the program. */
  | { readonly kind: 'help'; readonly topic?: string }
  | { readonly kind: 'version'; readonly asJson: boolean }
  | { readonly kind: 'completion'; readonly shell: (typeof shells)[number] };

/** The program exits with `wrongUsageExitCode`. */
export interface WrongUsage {
  readonly kind: 'wrong-usage';
  readonly reason: string;
  /** The part of the help that shows what is right. Absent: that of the program. */
  readonly topic?: string;
  /** Part of the help is printed too: only the first word of a command was given. */
  readonly isIncomplete?: true;
  /** An argument that nothing has as its name. */
  readonly unknown?: string;
}

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
  readonly options: FlagValues;
  readonly command: ParsedCommand | undefined;
  readonly rest: readonly string[];
}

function readNext(program: ProgramDescription, state: ParseState): ParseState | CommandLine {
  const [arg = '', ...rest] = state.rest;
  const { written, attached } = splitArgument(arg);
  const option = knownOptions(program, state.command).find((candidate) => isSpelling(candidate, written));
  if (option === undefined) return readPositional(program, state, arg);
  if (option === helpOption || option === versionOption) {
    return attached === undefined ? sharedRequest(option, state.command) : unknownArgument(written, state.command);
  }
  if (attached === '' && isUpstreamText(program, option)) return { ...state, rest };
  const read = option.value === undefined ? readSwitch(attached, rest) : readValue(attached, rest);
  return withOption(program, state, option, read);
}

/** An empty value is the default of many of these flags. */
function isUpstreamText({ upstreamOptions = [] }: ProgramDescription, option: OptionDescription): boolean {
  return option.value !== undefined && upstreamOptions.includes(option);
}

function withOption(
  program: ProgramDescription,
  state: ParseState,
  option: OptionDescription,
  { value, rest }: ReadValue,
): ParseState | WrongUsage {
  const { flag, choices, isList } = option;
  const before = state.options[flag];
  if (before !== undefined && program.upstreamOptions === undefined) {
    return wrongUsage(`${flag} is given more than once`, state.command);
  }
  if (value === '') return wrongUsage(`${flag} needs a value, ${valuesOf(option)}`, state.command);
  if (choices?.includes(value) === false) {
    return wrongUsage(`${flag} needs one of ${choices.join(', ')}`, state.command);
  }
  const all = before !== undefined && isList === true ? `${before},${value}` : value;
  return { ...state, options: { ...state.options, [flag]: all }, rest };
}

/** Options of all commands, at any position. `finish` checks that the command of an option is given too. */
function knownOptions(program: ProgramDescription, command: ParsedCommand | undefined): readonly OptionDescription[] {
  // Commands may have an option of the same name with other choices.
  const own = findCommand(program, command)?.options ?? [];
  const ofCommands = commandsOf(program).flatMap(({ options }) => options);
  return [...own, ...program.options, ...ofCommands, ...sharedOptions, ...(program.upstreamOptions ?? [])];
}

function isSpelling({ flag, aliases = [] }: OptionDescription, written: string): boolean {
  return flag === written || aliases.includes(written);
}

/** `--flag=value`, `-v=1` and `-v1` are one argument, as in Go programs. */
function splitArgument(arg: string): { readonly written: string; readonly attached: string | undefined } {
  const level = /^-v(\d+)$/.exec(arg)?.[1];
  if (level !== undefined) return { written: '-v', attached: level };
  const equalsAt = arg.startsWith('-') ? arg.indexOf('=') : -1;
  if (equalsAt < 0) return { written: arg, attached: undefined };
  return { written: arg.slice(0, equalsAt), attached: arg.slice(equalsAt + 1) };
}

function sharedRequest(option: OptionDescription, command: ParsedCommand | undefined): SharedRequest {
  if (option === versionOption) return { kind: 'version', asJson: false };
  return { kind: 'help', ...(command !== undefined && { topic: command.name }) };
}

function valuesOf({ value, choices }: OptionDescription): string {
  return choices?.join(' or ') ?? value ?? 'true or false';
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
  const [next = '', ...afterNext] = state.rest.slice(1);
  const { command } = state;
  if (command === undefined) {
    const known = commandsOf(program);
    if (known.some(({ name }) => name === positional)) return withCommand(state, positional, state.rest.slice(1));
    const below = commandsBelow(program, positional);
    if (below.length === 0) return unknownArgument(positional, undefined);
    const name = `${positional} ${next}`;
    if (below.some((each) => each.name === name)) return withCommand(state, name, afterNext);
    return incompleteCommand(positional, next);
  }
  if (takesOperand(program, command) && /^[^-]/.test(positional)) {
    const operands = [...command.operands, positional];
    return { ...state, command: { ...command, operands }, rest: state.rest.slice(1) };
  }
  return unknownArgument(positional, command);
}

function withCommand(state: ParseState, name: string, rest: readonly string[]): ParseState {
  return { ...state, command: { name, operands: [] }, rest };
}

/** The first word of a command, without its second. */
function incompleteCommand(word: string, next: string): CommandLine {
  if (next === helpOption.flag || helpOption.aliases.some((alias) => alias === next)) {
    return { kind: 'help', topic: word };
  }
  const isIncomplete = next === '' || next.startsWith('-');
  if (isIncomplete) return { kind: 'wrong-usage', reason: `${word} needs a command`, topic: word, isIncomplete };
  return { kind: 'wrong-usage', reason: `unknown argument ${quote(next)}`, topic: word, unknown: `${word} ${next}` };
}

/** Whether the command takes one more operand. The name of a command for `help` can have two words. */
function takesOperand(program: ProgramDescription, { name, operands }: ParsedCommand): boolean {
  const operand = findCommand(program, { name, operands })?.operand;
  return operand !== undefined && (operands.length < (name === 'help' ? 2 : 1) || operand.endsWith('…'));
}

function findCommand(program: ProgramDescription, command: ParsedCommand | undefined): CommandDescription | undefined {
  return commandsOf(program).find(({ name }) => name === command?.name);
}

function finish(program: ProgramDescription, { options: values, command }: ParseState): CommandLine {
  const description = findCommand(program, command);
  if (command !== undefined && needsOperand(description) && command.operands.length === 0) {
    return wrongUsage(`${command.name} needs ${description?.operand}`, command);
  }
  const misplaced = Object.keys(values).find((flag) => !acceptsFlag(program, description, flag));
  if (misplaced !== undefined) return wrongUsage(`${misplaced} belongs to another command`, command);
  const { [verbosityOption.flag]: level = '0', ...options } = values;
  if (!/^\d{1,2}$/.test(level)) return wrongUsage(`-v needs a whole number, got ${quote(level)}`, command);
  const verbosity = Number(level);
  if (command === undefined) return { kind: 'run', options, verbosity };
  return finishShared(program, command, options) ?? { kind: 'run', command, options, verbosity };
}

function needsOperand(command: CommandDescription | undefined): boolean {
  return command?.operand !== undefined && !command.operand.startsWith('[');
}

function acceptsFlag(program: ProgramDescription, command: CommandDescription | undefined, flag: string): boolean {
  const { options, upstreamOptions = [] } = program;
  const accepted = [...options, ...upstreamOptions, ...(command?.options ?? []), verbosityOption];
  return accepted.some((option) => option.flag === flag);
}

/** `undefined`: it is a command of the program. */
function finishShared(
  program: ProgramDescription,
  { name, operands }: ParsedCommand,
  options: FlagValues,
): CommandLine | undefined {
  if (name === 'version') return { kind: 'version', asJson: wantsJson(options) };
  if (name === 'completion') {
    const shell = shells.find((each) => each === operands[0]);
    return shell === undefined
      ? wrongUsage(`completion needs one of ${shells.join(', ')}`, { name, operands })
      : { kind: 'completion', shell };
  }
  if (name !== 'help') return undefined;
  const topic = operands.join(' ');
  if (topic === '') return { kind: 'help' };
  const isKnown = commandsOf(program).some((each) => each.name === topic || each.name.startsWith(`${topic} `));
  return isKnown ? { kind: 'help', topic } : unknownArgument(topic, undefined);
}

function wrongUsage(reason: string, command: ParsedCommand | undefined): WrongUsage {
  return { kind: 'wrong-usage', reason, ...(command !== undefined && { topic: command.name }) };
}

/** Without its value, which may be a secret. */
function unknownArgument(argument: string, command: ParsedCommand | undefined): WrongUsage {
  const unknown = splitArgument(argument).written;
  return { ...wrongUsage(`unknown argument ${quote(unknown)}`, command), unknown };
}

const maxQuoteCharacters = 80;

/** Always one line. */
export function quote(arg: string): string {
  const short = arg.length > maxQuoteCharacters ? `${arg.slice(0, maxQuoteCharacters)}…` : arg;
  return JSON.stringify(short);
}
