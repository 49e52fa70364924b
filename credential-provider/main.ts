import { clouds } from '../clouds/index.ts';
import { systemClock } from '../lib/clock.ts';
import { realHost } from '../lib/host.ts';
import { createHttp } from '../lib/http/create-http.ts';
import { trustVariables } from '../lib/http/trust.ts';
import { failureLine } from '../lib/registry-login/failure-line.ts';
import { createRedactor } from '../lib/registry-login/redactor.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import type { ProgramMain } from '../lib/command-line/run-program.ts';
import { standardError, standardOutput, writeAll } from '../lib/write-all.ts';
import { findEmulatedProvider } from './compat/find-emulated.ts';
import type { EmulatedProvider } from './compat/emulated-provider.ts';
import { processAgeMs } from './process-age.ts';
import { program } from './program.ts';
import { readInput } from './read-input.ts';
import { run } from './run.ts';
import type { Output } from './run.ts';
import type { ProviderRuntime } from './runtime.ts';

const loadEmulatedProvider = isOwnCommand(process.argv.slice(2)) ? undefined : findEmulatedProvider(process.argv0);
if (loadEmulatedProvider === undefined) void runProgram(program, runProvider);
else void runCompat(loadEmulatedProvider).then((code) => process.exit(code));

/** Ours by every name: no provider that we emulate has such arguments. */
function isOwnCommand([first, second]: readonly string[]): boolean {
  return second !== undefined && (first === 'doctor' || (first === 'config' && /^(?:lint|print)$/.test(second)));
}

async function runProvider({ command, options, verbosity }: Parameters<ProgramMain>[0]): Promise<number> {
  const runtime = openRuntime();
  if (command !== undefined) {
    const { runCommand } = await import('./commands.ts');
    return print(await runCommand({ command, options }, runtime));
  }
  const request = await readInput().catch((error: unknown) => {
    writeAll(standardError, `${failureLine(program.name, error, createRedactor())}\n`);
    return undefined;
  });
  if (request === undefined) return 1;
  const configFile = options['--config'];
  const input = { request, verbosity, startedAtMs: startedAtMs(), ...(configFile !== undefined && { configFile }) };
  return print(await run(input, runtime));
}

async function runCompat(load: () => Promise<EmulatedProvider>): Promise<number> {
  const { runEmulatedProvider } = await import('./compat/run-emulated.ts');
  const invocation = { args: process.argv.slice(2), startedAtMs: startedAtMs(), readRequest: readInput };
  return print(await runEmulatedProvider(await load(), invocation, openRuntime()));
}

function openRuntime(): ProviderRuntime {
  const env = { ...process.env };
  Object.assign(process.env, trustVariables(env));
  return {
    env,
    host: realHost,
    clock: systemClock,
    random: Math.random,
    clouds,
    openHttp: createHttp,
    writeStep: (line) => writeAll(standardError, `${line}\n`),
  };
}

function startedAtMs(): number {
  return systemClock.monotonicMs() - processAgeMs();
}

function print({ stdout, stderr, exitCode }: Output): number {
  writeAll(standardError, stderr);
  writeAll(standardOutput, stdout);
  return exitCode;
}
