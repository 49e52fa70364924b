import { trustVariables } from '../lib/http/trust.ts';
import type { LogFormat } from '../lib/log/format-line.ts';
import { openLog, readLogFormat, logExitReason } from '../lib/log/open-log.ts';
import { wrongUsageExitCode } from '../lib/command-line/command-line.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { wantsJson } from '../lib/command-line/shared-options.ts';
import { logUpstreamFlags, refuseUpstreamFlags } from '../lib/command-line/upstream-flags.ts';
import { readServing } from '../lib/server/settings.ts';
import { standardOutput, writeAll } from '../lib/write-all.ts';
import { readElection } from './leader-election/settings.ts';
import { readControllerFlags } from './options.ts';
import { program, servingDefaults } from './program.ts';
import { upstreamFlags } from './upstream-flags.ts';

void runProgram(program, async ({ options, command, verbosity }) => {
  const env = { ...process.env };
  Object.assign(process.env, trustVariables(env));
  let format: LogFormat = 'text';
  // Until the flags are read.
  let exitCode = wrongUsageExitCode;
  try {
    format = readLogFormat(options);
    const log = openLog(program.name, format, verbosity);
    refuseUpstreamFlags(upstreamFlags, options);
    const flags = readControllerFlags(options);
    const [election, serving] = [readElection(options), readServing(options, servingDefaults)];
    exitCode = 1;
    // Loaded only now, so that `--version` does not wait for it.
    const [{ openRuntime }, { deletionSettings }] = await Promise.all([
      import('./runtime.ts'),
      import('./deletion-settings.ts'),
    ]);
    const runtime = await openRuntime(flags, env, log);
    const lifecycle = deletionSettings(runtime.config.deletion, log);
    const [node] = command?.operands ?? [];
    if (node !== undefined) {
      const { explain, explanationJson, explanationText } = await import('./explain.ts');
      const explanation = await explain(node, runtime, { lifecycle, election });
      const textOf = wantsJson(options) ? explanationJson : explanationText;
      writeAll(standardOutput, textOf(explanation));
      return 0;
    }
    logUpstreamFlags(upstreamFlags, options, log);
    const { runManager: campaign } = await import('./manager.ts');
    await campaign({ runtime, flags, election, serving, lifecycle });
    return 0;
  } catch (error) {
    logExitReason(program.name, format, error);
    return exitCode;
  }
});
