import { clouds } from '../clouds/index.ts';
import { systemClock } from '../lib/clock.ts';
import { realHost } from '../lib/host.ts';
import { createHttp } from '../lib/http/create-http.ts';
import { trustVariables } from '../lib/http/trust.ts';
import { failureLine } from '../lib/image-login/failure-line.ts';
import { runProgram } from '../lib/program.ts';
import type { Work } from '../lib/program.ts';
import { standardError, standardOutput, writeAll } from '../lib/write-all.ts';
import { dropInCalled } from './drop-in/by-name.ts';
import type { DropIn } from './drop-in/drop-in.ts';
import { processAgeMs } from './process-age.ts';
import { program } from './program.ts';
import { readInput } from './read-input.ts';
import { run } from './run.ts';
import type { Output } from './run.ts';
import type { World } from './world.ts';

const loadDropIn = dropInCalled(process.argv0);
if (loadDropIn === undefined) void runProgram(program, runAsOurselves);
else void runInPlaceOf(loadDropIn).then((code) => process.exit(code));

async function runAsOurselves({ command, options, verbosity }: Parameters<Work>[0]): Promise<number> {
  const world = openWorld();
  if (command !== undefined) {
    const { runCommand } = await import('./commands.ts');
    return print(await runCommand({ command, options }, world));
  }
  const request = await readInput().catch((error: unknown) => {
    writeAll(standardError, `${failureLine(program.name, error, [])}\n`);
    return undefined;
  });
  if (request === undefined) return 1;
  const configFile = options['--config'];
  const input = { request, verbosity, startedAtMs: startedAtMs(), ...(configFile !== undefined && { configFile }) };
  return print(await run(input, world));
}

async function runInPlaceOf(load: () => Promise<DropIn>): Promise<number> {
  const { runDropIn } = await import('./drop-in/run-drop-in.ts');
  const call = { args: process.argv.slice(2), startedAtMs: startedAtMs(), readRequest: readInput };
  return print(await runDropIn(await load(), call, openWorld()));
}

function openWorld(): World {
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
