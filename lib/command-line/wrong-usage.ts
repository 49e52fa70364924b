import type { WrongUsage } from './command-line.ts';
import { helpText } from './help.ts';
import { nearMiss } from './near-miss.ts';
import type { ProgramDescription } from './program-description.ts';

/** What is wrong, what was probably meant, and where the right usage is. */
export function wrongUsageText(
  program: ProgramDescription,
  { reason, topic, isIncomplete, unknown }: WrongUsage,
): string {
  const guess = unknown === undefined ? undefined : nearMiss(program, unknown);
  const helpCommand = [program.name, ...(topic === undefined ? [] : [topic]), '--help'].join(' ');
  const hint = guess === undefined ? `see ${helpCommand}` : `did you mean "${guess}"? see ${helpCommand}`;
  const line = `${program.name}: ${reason}; hint: ${hint}\n`;
  if (isIncomplete === undefined) return line;
  return `${line}\n${helpText(program, topic)}`;
}
