import { failureText } from '../lib/failure-text.ts';
import { trustVariables } from '../lib/http/trust.ts';
import type { Logger } from '../lib/log/logger.ts';
import { logOptions, openLogger, readLogFormat } from '../lib/log/open-logger.ts';
import { runProgram } from '../lib/program.ts';
import { readServing, servingOptions } from '../lib/server/settings.ts';
import { standardError, standardOutput, writeAll } from '../lib/write-all.ts';
import { electionOptions, readElection } from './leader-election/settings.ts';
import { controllerOptions, readControllerFlags } from './options.ts';

const servingDefaults = { port: 10_258, certificateName: 'cloud-controller-manager' };

const program = {
  name: 'polycloud-ccm',
  summary: 'Keep the Nodes of a cluster true to their instances, on several clouds at once.',
  options: [...controllerOptions, ...electionOptions, ...servingOptions(servingDefaults), ...logOptions],
  commands: [
    {
      name: 'explain',
      operand: 'NODE',
      description: 'say what is known of a Node and what would be done with it, and why',
      options: [{ flag: '--json', description: 'as one JSON object' }],
    },
  ],
};

void runProgram(program, async ({ options, command, verbosity }) => {
  const env = { ...process.env };
  Object.assign(process.env, trustVariables(env));
  let jsonLog: Logger | undefined;
  try {
    const format = readLogFormat(options);
    const log = openLogger(program.name, format, verbosity);
    if (format === 'json') jsonLog = log;
    const flags = readControllerFlags(options);
    const [election, serving] = [readElection(options), readServing(options, servingDefaults)];
    // Loaded only now: whoever asks for the version waits for nothing of it.
    const [{ prepareGround }, { deletionSettings }] = await Promise.all([
      import('./start.ts'),
      import('./deletion-settings.ts'),
    ]);
    const ground = await prepareGround(flags, env, log);
    const lifecycle = deletionSettings(ground.config.deletion, log);
    const [node] = command?.operands ?? [];
    if (node !== undefined) {
      const { explain, explanationText } = await import('./explain.ts');
      const explanation = await explain(node, ground, lifecycle);
      const asJson = options['--json'] === 'true';
      writeAll(standardOutput, asJson ? `${JSON.stringify(explanation)}\n` : explanationText(explanation));
      return 0;
    }
    const { campaign } = await import('./campaign.ts');
    await campaign({ ground, flags, election, serving, lifecycle });
    return 0;
  } catch (error) {
    if (jsonLog !== undefined) jsonLog.error('Stopping', { err: failureText(error) });
    else writeAll(standardError, `${program.name}: ${failureText(error)}\n`);
    return 1;
  }
});
