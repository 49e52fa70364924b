import { systemClock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import { trustVariables } from '../lib/http/trust.ts';
import { KubernetesError } from '../lib/kubernetes/kubernetes-error.ts';
import { createLog } from '../lib/log.ts';
import { createMetrics } from '../lib/metrics/metrics.ts';
import { addProcessMetrics } from '../lib/metrics/process-metrics.ts';
import { runProgram } from '../lib/program.ts';
import { readServing, servingOptions } from '../lib/server/settings.ts';
import { standardError, standardOutput, writeAll } from '../lib/write-all.ts';
import { campaign } from './campaign.ts';
import { deletionSettings } from './deletion-settings.ts';
import { explain, explanationText } from './explain.ts';
import { electionOptions, readElection } from './leader-election/settings.ts';
import { controllerOptions, readControllerFlags } from './options.ts';
import { servingDefaults } from './serve.ts';
import { prepareGround } from './start.ts';

const program = {
  name: 'polycloud-ccm',
  summary: 'Keep the Nodes of a cluster true to their instances, on several clouds at once.',
  options: [...controllerOptions, ...electionOptions, ...servingOptions(servingDefaults)],
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
  const log = createLog(verbosity, (line) => {
    writeAll(standardError, `${new Date(systemClock.wallMs()).toISOString()} ${line}\n`);
  });
  try {
    const flags = readControllerFlags(options);
    const [election, serving] = [readElection(options), readServing(options, servingDefaults)];
    const ground = await prepareGround(flags, env, log);
    const lifecycle = deletionSettings(ground.config.deletion, log);
    if (command?.operand !== undefined) {
      const explanation = await explain(command.operand, ground, lifecycle);
      const asJson = options['--json'] === 'true';
      writeAll(standardOutput, asJson ? `${JSON.stringify(explanation)}\n` : explanationText(explanation));
      return 0;
    }
    const metrics = createMetrics();
    addProcessMetrics(metrics);
    await campaign({ ground, flags, election, serving, metrics, lifecycle });
    return 0;
  } catch (error) {
    writeAll(standardError, `${program.name}: ${describe(error)}\n`);
    return 1;
  }
});

function describe(error: unknown): string {
  const known = error instanceof Failure || error instanceof KubernetesError;
  if (known) return `${error.message}; to mend it: ${error.remedy}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
}
