import { trustVariables } from '../lib/http/trust.ts';
import type { LogFormat } from '../lib/log/format-line.ts';
import type { Log } from '../lib/log/log.ts';
import { openLog, readLogFormat, logExitReason } from '../lib/log/open-log.ts';
import { wrongUsageExitCode } from '../lib/command-line/command-line.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { wantsJson } from '../lib/command-line/shared-options.ts';
import { logUpstreamFlags, refuseUpstreamFlags } from '../lib/command-line/upstream-flags.ts';
import { readServing } from '../lib/server/settings.ts';
import { standardOutput, writeAll } from '../lib/write-all.ts';
import { readAgentFlags, statusSocketOf } from './options.ts';
import { program, servingDefaults } from './program.ts';
import { isWell, statusText } from './status.ts';
import { upstreamFlags } from './upstream-flags.ts';

void runProgram(program, async ({ options, command, verbosity }) => {
  const run: Run = { format: 'text', exitCode: wrongUsageExitCode };
  try {
    if (command?.name === 'status') return await printStatus(options, run);
    if (command?.name === 'install' || command?.name === 'uninstall') {
      return await changeHost(command.name, options, run);
    }
    return await (command?.name === 'broker' ? serveLogins : runAgentItself)(options, verbosity, run);
  } catch (error) {
    logExitReason(program.name, run.format, error);
    return run.exitCode;
  }
});

/** What a failure means for the end of the program. */
interface Run {
  format: LogFormat;
  /** Wrong usage until the flags are read. */
  exitCode: number;
}

async function printStatus(options: FlagValues, run: Run): Promise<number> {
  run.exitCode = 1;
  const { askStatus } = await import('./status-socket.ts');
  const status = await askStatus(statusSocketOf(options));
  const asJson = wantsJson(options);
  writeAll(standardOutput, asJson ? `${JSON.stringify(status)}\n` : statusText(status));
  return isWell(status) ? 0 : 1;
}

async function changeHost(command: 'install' | 'uninstall', options: FlagValues, run: Run): Promise<number> {
  const { prepareInstall } = await import('./install/run-install.ts');
  const work = prepareInstall(command, options, process.env);
  run.exitCode = 1;
  writeAll(standardOutput, await work());
  return 0;
}

async function serveLogins(options: FlagValues, verbosity: number, run: Run): Promise<number> {
  const { env, log } = openDaemon(options, verbosity, run);
  const { readHostBrokerFlags, runHostBroker } = await import('./broker/run-broker.ts');
  const flags = readHostBrokerFlags(options, env, process.pid);
  run.exitCode = 1;
  await runHostBroker(flags, log);
  return 0;
}

async function runAgentItself(options: FlagValues, verbosity: number, run: Run): Promise<number> {
  const { env, log } = openDaemon(options, verbosity, run);
  refuseUpstreamFlags(upstreamFlags, options);
  const flags = readAgentFlags(options, env);
  const serving = readServing(options, servingDefaults);
  run.exitCode = 1;
  logUpstreamFlags(upstreamFlags, options, log);
  const [{ openRuntime }, { runAgent }] = await Promise.all([import('./runtime.ts'), import('./run.ts')]);
  await runAgent(flags, serving, await openRuntime(flags, env, log));
  return 0;
}

function openDaemon(options: FlagValues, verbosity: number, run: Run): { env: NodeJS.ProcessEnv; log: Log } {
  const env = { ...process.env };
  Object.assign(process.env, trustVariables(env));
  run.format = readLogFormat(options);
  return { env, log: openLog(program.name, run.format, verbosity) };
}
