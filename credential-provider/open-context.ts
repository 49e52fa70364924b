import type { Context } from '../clouds/index.ts';
import { ownAuthorities } from '../lib/http/own-authorities.ts';
import { readProxyVariables } from '../lib/http/proxy.ts';
import { trustedCertificates } from '../lib/http/trust.ts';
import { createLog } from '../lib/log.ts';
import type { Config } from '../schemas/config.ts';
import { clean } from './failure-line.ts';
import { longestAnswerMs, programName } from './world.ts';
import type { Input, Progress, World } from './world.ts';

/** What the cloud gets of the outside world, with the configuration's trust and the environment's proxies. */
export async function openContext(input: Input, world: World, config: Config, progress: Progress): Promise<Context> {
  const { env, clock, random } = world;
  const allAuthorities = (): readonly string[] => trustedCertificates(env);
  const authorities = await ownAuthorities(config.caFile, env, world.host);
  const proxies = readProxyVariables(env);
  const { step } = createLog(input.verbosity, (line) => {
    world.writeStep(clean(`${programName}: ${line}`, progress.secrets));
  });
  return {
    signal: progress.end.signal,
    deadlineAtMs: input.startedAtMs + longestAnswerMs,
    http: world.openHttp({ proxies, allAuthorities, ...(authorities !== undefined && { authorities }) }),
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
