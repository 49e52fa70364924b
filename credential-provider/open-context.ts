import type { Context } from '../lib/context.ts';
import { configuredHttp } from '../lib/http/configured-http.ts';
import { clean } from '../lib/image-login/failure-line.ts';
import { createLog } from '../lib/log/log.ts';
import type { Config } from '../schemas/config.ts';
import { longestAnswerMs, programName } from './world.ts';
import type { Input, Progress, World } from './world.ts';

/** What the cloud gets of the outside world, with the configuration's trust and the environment's proxies. */
export async function openContext(input: Input, world: World, config: Config, progress: Progress): Promise<Context> {
  const { clock, random } = world;
  return {
    signal: progress.end.signal,
    deadlineAtMs: input.startedAtMs + longestAnswerMs,
    http: await configuredHttp(config.caFile, world),
    clock,
    random,
    log: createLog(({ verbosity, message }) => {
      if (verbosity === 0) return void progress.notes.push(message);
      progress.lastStep = message;
      if (verbosity <= input.verbosity) world.writeStep(clean(`${programName}: ${message}`, progress.secrets));
    }),
  };
}
