import { trustVariables } from '../lib/http/trust.ts';
import type { LogFormat } from '../lib/log/format-line.ts';
import { openLog, readLogFormat, logExitReason } from '../lib/log/open-log.ts';
import { wrongUsageExitCode } from '../lib/command-line/command-line.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';
import { terminalPaint } from '../lib/command-line/paint.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { wantsJson } from '../lib/command-line/shared-options.ts';
import { logUpstreamFlags, refuseUpstreamFlags } from '../lib/command-line/upstream-flags.ts';
import { readServing } from '../lib/server/settings.ts';
import { standardOutput, writeAll } from '../lib/write-all.ts';
import type { ExplainSettings } from './explain.ts';
import { readElection } from './leader-election/settings.ts';
import type { ElectionSettings } from './leader-election/settings.ts';
import { readControllerFlags } from './options.ts';
import { program, servingDefaults } from './program.ts';
import type { ControllerRuntime } from './runtime.ts';
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
    const election = readElection(options);
    if (command?.name === 'status') {
      exitCode = 1;
      return await showStatus(options, election, env);
    }
    const [flags, serving] = [readControllerFlags(options), readServing(options, servingDefaults)];
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
      const { agentHeadStartMs, routes } = flags;
      return await showExplanation(node, options, runtime, {
        lifecycle,
        election,
        agentHeadStartMs,
        keepsRoutes: routes !== undefined,
      });
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

async function showStatus(options: FlagValues, election: ElectionSettings, env: NodeJS.ProcessEnv): Promise<number> {
  const { readStatus, statusJson, statusLines } = await import('./status-command/run.ts');
  const report = await readStatus(options['--kubeconfig'], election, env);
  writeAll(standardOutput, wantsJson(options) ? statusJson(report) : statusLines(report, terminalPaint()));
  return report.ok ? 0 : 1;
}

async function showExplanation(
  node: string,
  options: FlagValues,
  runtime: ControllerRuntime,
  settings: ExplainSettings,
): Promise<number> {
  const { explain, explanationJson, explanationText } = await import('./explain.ts');
  const explanation = await explain(node, runtime, settings);
  writeAll(standardOutput, wantsJson(options) ? explanationJson(explanation) : explanationText(explanation));
  return explanation.isKnown === false ? 1 : 0;
}
