import { clouds } from '../clouds/index.ts';
import { systemClock } from '../lib/clock.ts';
import { realHost } from '../lib/host.ts';
import { createHttp } from '../lib/http/node-http.ts';
import { trustVariables } from '../lib/http/trust.ts';
import { runProgram } from '../lib/program.ts';
import { standardError, standardOutput, writeAll } from '../lib/write-all.ts';
import { failureLine } from './failure-line.ts';
import { readInput } from './read-input.ts';
import { run } from './run.ts';
import { programName } from './world.ts';

const program = {
  name: programName,
  summary: 'Answer a request of the kubelet, read from standard input, with the login to an image registry.',
  options: [
    {
      flag: '--config',
      value: 'FILE',
      description: 'our configuration; default /etc/polycloud/config.yaml, if it is there',
    },
  ],
};

void runProgram(program, async ({ options, verbosity }) => {
  const env = { ...process.env };
  Object.assign(process.env, trustVariables(env));
  const request = await readInput().catch((error: unknown) => {
    writeAll(standardError, `${failureLine(program.name, error, [])}\n`);
    return undefined;
  });
  if (request === undefined) return 1;
  const configFile = options['--config'];
  const input = { request, verbosity, startedAtMs: 0, ...(configFile !== undefined && { configFile }) };
  const output = await run(input, {
    env,
    host: realHost,
    clock: systemClock,
    random: Math.random,
    clouds,
    openHttp: createHttp,
    writeStep: (line) => writeAll(standardError, `${line}\n`),
  });
  writeAll(standardError, output.stderr);
  writeAll(standardOutput, output.stdout);
  return output.exitCode;
});
