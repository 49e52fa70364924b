import { standardError, standardOutput, writeAll } from '../write-all.ts';
import { parseCommandLine, wrongUsageExitCode } from './command-line.ts';
import type { CommandLine, SharedRequest, WrongUsage } from './command-line.ts';
import type { ProgramDescription } from './program-description.ts';
import { versionJson, versionLine } from './version.ts';

/** The work of a program after its command line is parsed. Returns the exit code. */
export type ProgramMain = (commandLine: CommandLine & { readonly kind: 'run' }) => number | Promise<number>;

/** Runs a program from its command line to its exit code. */
export async function runProgram(program: ProgramDescription, main: ProgramMain): Promise<never> {
  const commandLine = parseCommandLine(program, process.argv.slice(2));
  process.exit(commandLine.kind === 'run' ? await main(commandLine) : await runShared(program, commandLine));
}

/** Help and completion are loaded only here, since the kubelet never asks for them. Returns the exit code. */
async function runShared(program: ProgramDescription, request: SharedRequest | WrongUsage): Promise<number> {
  if (request.kind === 'wrong-usage') {
    const { wrongUsageText } = await import('./wrong-usage.ts');
    writeAll(standardError, wrongUsageText(program, request));
    return wrongUsageExitCode;
  }
  // Written at once: `process.exit` does not wait for a stream.
  writeAll(standardOutput, await sharedText(program, request));
  return 0;
}

async function sharedText(program: ProgramDescription, request: SharedRequest): Promise<string> {
  if (request.kind === 'version') return `${request.asJson ? versionJson(program.name) : versionLine(program.name)}\n`;
  if (request.kind === 'help') return (await import('./help.ts')).helpText(program, request.topic);
  return (await import('./completion.ts')).completionScript(program, request.shell);
}
