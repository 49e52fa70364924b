import type { CommandLine } from './command-line.ts';
import type { ProgramDescription } from './program-description.ts';
import { parseCommandLine, wrongUsageExitCode } from './command-line.ts';
import { standardError, standardOutput, writeAll } from '../write-all.ts';

/** The work of a program after its command line is parsed. Returns the exit code. */
export type ProgramMain = (commandLine: CommandLine & { readonly kind: 'run' }) => number | Promise<number>;

/** Runs a program from its command line to its exit code. */
export async function runProgram(program: ProgramDescription, main: ProgramMain): Promise<never> {
  const commandLine = parseCommandLine(program, process.argv.slice(2));
  process.exit(commandLine.kind === 'run' ? await main(commandLine) : print(commandLine));
}

/** Written at once: `process.exit` does not wait for a stream. */
function print(commandLine: Exclude<CommandLine, { readonly kind: 'run' }>): number {
  if (commandLine.kind === 'print') {
    writeAll(standardOutput, commandLine.text);
    return 0;
  }
  writeAll(standardError, `${commandLine.line}\n`);
  return wrongUsageExitCode;
}
