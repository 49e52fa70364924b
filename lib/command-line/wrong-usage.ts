import type { WrongUsage } from './command-line.ts';
import { helpText } from './help.ts';
import { nearestName } from '../near-miss.ts';
import type { ProgramDescription } from './program-description.ts';
import { commandsOf, sharedOptions } from './shared-options.ts';

/** What is wrong, what was probably meant, and where the right usage is. */
export function wrongUsageText(
  program: ProgramDescription,
  { reason, topic, isIncomplete, unknown }: WrongUsage,
): string {
  const guess = unknown === undefined ? undefined : nearestName(unknown, namesLike(program, unknown));
  const helpCommand = [program.name, ...(topic === undefined ? [] : [topic]), '--help'].join(' ');
  const hint = guess === undefined ? `see ${helpCommand}` : `did you mean "${guess}"? see ${helpCommand}`;
  const line = `${program.name}: ${reason}; hint: ${hint}\n`;
  if (isIncomplete === undefined) return line;
  return `${line}\n${helpText(program, topic)}`;
}

function namesLike(program: ProgramDescription, written: string): readonly string[] {
  const commands = commandsOf(program);
  if (!written.startsWith('-')) return commands.map(({ name }) => name);
  const options = [...program.options, ...commands.flatMap((command) => command.options), ...sharedOptions];
  return options.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]).filter((flag) => flag.startsWith('--'));
}
