import type { CommandDescription, OptionDescription, ProgramDescription } from './program-description.ts';

type HelpLine = readonly [left: string, description: string];

/** The text of `--help`. `shared` is the option that all programs have, besides the two that only print. */
export function helpText(program: ProgramDescription, shared: OptionDescription): string {
  const commands = program.commands ?? [];
  const ownLines = [...program.options, ...commands.flatMap(optionsOf), shared].map(optionLine);
  const optionLines: readonly HelpLine[] = [...ownLines, ...printOnlyLines];
  const commandLines = commands.map((command): HelpLine => [commandUsage(command), command.description]);
  const width = Math.max(...[...commandLines, ...optionLines].map(([left]) => left.length));
  const commandTable = commands.length === 0 ? '' : `${table(commandLines, width)}\n`;
  return `${program.summary}\n\n${usage(program.name, commands)}\n${commandTable}${table(optionLines, width)}`;
}

const printOnlyLines: readonly HelpLine[] = [
  ['--version', 'print name, version, commit and Node version'],
  ['--help', 'print this'],
];

function optionsOf({ name, options }: CommandDescription): readonly OptionDescription[] {
  return options.map((option) => ({ ...option, description: `${option.description} (with ${name})` }));
}

function optionLine({ flag, value, description }: OptionDescription): HelpLine {
  return [value === undefined ? flag : `${flag} ${value}`, description];
}

function usage(name: string, commands: readonly CommandDescription[]): string {
  const forms = [name, ...commands.map((command) => `${name} ${commandUsage(command)}`)];
  return forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} ${form} [OPTION]…\n`).join('');
}

function commandUsage({ name, operand }: CommandDescription): string {
  return operand === undefined ? name : `${name} ${operand}`;
}

function table(lines: readonly HelpLine[], width: number): string {
  return lines.map(([left, description]) => `  ${left.padEnd(width)}  ${description}\n`).join('');
}
