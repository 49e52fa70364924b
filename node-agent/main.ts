import { trustVariables } from '../lib/http/trust.ts';
import type { LogFormat } from '../lib/log/format-line.ts';
import { openLog, readLogFormat, logExitReason } from '../lib/log/open-log.ts';
import { wrongUsageExitCode } from '../lib/command-line/command-line.ts';
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
  let format: LogFormat = 'text';
  // Until the flags are read.
  let exitCode = command?.name === 'status' ? 1 : wrongUsageExitCode;
  try {
    if (command?.name === 'status') {
      const { askStatus } = await import('./status-socket.ts');
      const status = await askStatus(statusSocketOf(options));
      const asJson = wantsJson(options);
      writeAll(standardOutput, asJson ? `${JSON.stringify(status)}\n` : statusText(status));
      return isWell(status) ? 0 : 1;
    }
    if (command !== undefined) {
      const { prepareInstall } = await import('./install/run-install.ts');
      const work = prepareInstall(command.name, options);
      exitCode = 1;
      writeAll(standardOutput, await work());
      return 0;
    }
    const env = { ...process.env };
    Object.assign(process.env, trustVariables(env));
    format = readLogFormat(options);
    const log = openLog(program.name, format, verbosity);
    refuseUpstreamFlags(upstreamFlags, options);
    const flags = readAgentFlags(options, env);
    const serving = readServing(options, servingDefaults);
    exitCode = 1;
    logUpstreamFlags(upstreamFlags, options, log);
    const [{ openRuntime }, { runAgent }] = await Promise.all([import('./runtime.ts'), import('./run.ts')]);
    await runAgent(flags, serving, await openRuntime(flags, env, log));
    return 0;
  } catch (error) {
    logExitReason(program.name, format, error);
    return exitCode;
  }
});
