import type { Context } from '../lib/context.ts';
import { configuredHttp } from '../lib/http/configured-http.ts';
import { clean } from '../lib/image-login/failure-line.ts';
import { createLog } from '../lib/log.ts';
import type { Config } from '../schemas/config.ts';
import { longestAnswerMs, programName } from './world.ts';
import type { Input, Progress, World } from './world.ts';

/** What the cloud gets of the outside world, with the configuration's trust and the environment's proxies. */
export async function openContext(input: Input, world: World, config: Config, progress: Progress): Promise<Context> {
  const { clock, random } = world;
  const { step } = createLog(input.verbosity, (line) => {
    world.writeStep(clean(`${programName}: ${line}`, progress.secrets));
  });
  return {
    signal: progress.end.signal,
    deadlineAtMs: input.startedAtMs + longestAnswerMs,
    http: await configuredHttp(config.caFile, world),
    clock,
    random,
    log: {
      say: (message) => void progress.notes.push(message),
      step: (message) => {
        progress.lastStep = message;
        step(message);
      },
    },
  };
}
