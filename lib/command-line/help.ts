import type { CommandDescription, OptionDescription, ProgramDescription } from './program-description.ts';
import { commandsBelow, commandsOf, sharedOptions } from './shared-options.ts';

/** `topic` is a command, or the first word of several. Absent: the program. */
export function helpText(program: ProgramDescription, topic?: string): string {
  if (topic === undefined) return programHelp(program);
  const command = commandsOf(program).find(({ name }) => name === topic);
  return command === undefined ? groupHelp(program, topic) : commandHelp(program, command);
}

function programHelp(program: ProgramDescription): string {
  const { name, summary, options } = program;
  const hint = `Options of a command: ${name} COMMAND --help\n`;
  return [
    `${summary}\n`,
    `Usage: ${name} [OPTION]…\n       ${name} COMMAND [OPTION]…\n`,
    `Commands:\n${commandTable(commandsOf(program))}`,
    `Options:\n${optionTable([...options, ...sharedOptions])}`,
    hint,
  ].join('\n');
}

function groupHelp(program: ProgramDescription, word: string): string {
  const commands = commandsBelow(program, word);
  const forms = commands.map((command) => `${program.name} ${commandUsage(command)} [OPTION]…`);
  const usage = forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} ${form}\n`).join('');
  return `${usage}\nCommands:\n${commandTable(commands)}`;
}

function commandHelp({ name, options }: ProgramDescription, command: CommandDescription): string {
  const { description, uses = [] } = command;
  const used = options.filter(({ flag }) => uses.includes(flag));
  return [
    `${capitalised(description)}.\n`,
    `Usage: ${name} ${commandUsage(command)} [OPTION]…\n`,
    `Options:\n${optionTable([...command.options, ...used, ...sharedOptions])}`,
  ].join('\n');
}

function capitalised(sentence: string): string {
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`;
}

/** The name of a command and its operand. */
export function commandUsage({ name, operand }: CommandDescription): string {
  return operand === undefined ? name : `${name} ${operand}`;
}

/** The spellings of an option and its value: `-h, --help`, `--config FILE`. */
export function optionUsage({ flag, aliases = [], value }: OptionDescription): string {
  const spellings = [flag, ...aliases].toSorted((one, other) => one.length - other.length).join(', ');
  return value === undefined ? spellings : `${spellings} ${value}`;
}

function commandTable(commands: readonly CommandDescription[]): string {
  return table(commands.map((command) => [commandUsage(command), command.description]));
}

function optionTable(options: readonly OptionDescription[]): string {
  return table(options.map((option) => [optionUsage(option), option.description]));
}

function table(lines: ReadonlyArray<readonly [left: string, description: string]>): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, description]) => `  ${left.padEnd(width)}  ${description}\n`).join('');
}
