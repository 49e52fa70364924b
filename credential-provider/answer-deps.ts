import type { Context } from '../lib/context.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { configuredHttp } from '../lib/http/configured-http.ts';
import { createLog } from '../lib/log/log.ts';
import type { AnswerDeps } from '../lib/registry-login/answer-request.ts';
import { logIn } from '../lib/registry-login/log-in.ts';
import type { Config } from '../schemas/config.ts';
import { programName, requestTimeoutMs } from './runtime.ts';
import type { Input, Progress, ProviderRuntime } from './runtime.ts';

/** This process answers one request and ends, so it always asks the cloud. */
export function answerDepsFor(input: Input, runtime: ProviderRuntime, progress: Progress): AnswerDeps {
  const { env, host, clouds, clock } = runtime;
  const available = { clouds, runtime: { env, host } };
  return {
    ...available,
    clock,
    redactor: progress.redactor,
    logins: {
      get: async (registry, identity, config) =>
        logIn(registry, identity, { ...available, config }, await openContext(input, runtime, config, progress)),
    },
    readConfig: async () => {
      const config = await loadConfig(input.configFile, host, clouds);
      return input.compatMode?.overrideConfig(config) ?? config;
    },
  };
}

/** With the trust of the configuration and the proxies of the environment. */
async function openContext(
  input: Input,
  runtime: ProviderRuntime,
  config: Config,
  progress: Progress,
): Promise<Context> {
  const { clock, random } = runtime;
  return {
    signal: progress.end.signal,
    deadlineAtMs: input.startedAtMs + requestTimeoutMs,
    http: await configuredHttp(config.caFile, runtime),
    clock,
    random,
    log: createLog(({ verbosity, message }) => {
      if (verbosity === 0) return void progress.notes.push(message);
      progress.lastStep = message;
      if (verbosity <= input.verbosity) runtime.writeStep(progress.redactor.redact(`${programName}: ${message}`));
    }),
  };
}
