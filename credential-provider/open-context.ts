import type { Context } from '../lib/context.ts';
import { configuredHttp } from '../lib/http/configured-http.ts';
import { redact } from '../lib/registry-login/failure-line.ts';
import { createLog } from '../lib/log/log.ts';
import type { Config } from '../schemas/config.ts';
import { requestTimeoutMs, programName } from './runtime.ts';
import type { Input, Progress, ProviderRuntime } from './runtime.ts';

/** What the cloud gets of the outside world, with the configuration's trust and the environment's proxies. */
export async function openContext(
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
      if (verbosity <= input.verbosity) runtime.writeStep(redact(`${programName}: ${message}`, progress.secrets));
    }),
  };
}
