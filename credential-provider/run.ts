import { loadConfig } from '../lib/config/load-config.ts';
import { answerRequest } from '../lib/registry-login/answer-request.ts';
import type { AnswerDeps } from '../lib/registry-login/answer-request.ts';
import { failureLines, noteLines } from '../lib/registry-login/failure-line.ts';
import { logIn } from '../lib/registry-login/log-in.ts';
import { withDeadline } from './with-deadline.ts';
import { openContext } from './open-context.ts';
import { programName } from './runtime.ts';
import type { Input, Progress, ProviderRuntime } from './runtime.ts';

export interface Output {
  /** One JSON object, or nothing. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 1;
}

/** A request in, an answer or one clear line out. Never throws. */
export async function run(input: Input, runtime: ProviderRuntime): Promise<Output> {
  const secrets: string[] = [];
  const notes: string[] = [];
  const end = new AbortController();
  const progress: Progress = { secrets, notes, end, lastStep: '' };
  try {
    const work = answerRequest(input.request, answerDepsFor(input, runtime, progress));
    const response = await withDeadline(work, input.startedAtMs, runtime, progress);
    return { stdout: `${JSON.stringify(response)}\n`, stderr: noteLines(programName, notes, secrets), exitCode: 0 };
  } catch (error) {
    return { stdout: '', stderr: failureLines(programName, error, notes, secrets), exitCode: 1 };
  } finally {
    end.abort(new Error('answered'));
  }
}

function answerDepsFor(input: Input, runtime: ProviderRuntime, progress: Progress): AnswerDeps {
  const { env, host, clouds, clock } = runtime;
  return {
    clock,
    registerSecret: (value) => void progress.secrets.push(value),
    ...(input.compatMode !== undefined && { behavior: input.compatMode.behavior }),
    configureClouds: async () => {
      const config = await loadConfig(input.configFile, host);
      return { clouds, runtime: { env, host }, config: input.compatMode?.overrideConfig(config) ?? config };
    },
    logIn: async (resolved, identity, configuredClouds) =>
      logIn(resolved, identity, configuredClouds, await openContext(input, runtime, configuredClouds.config, progress)),
  };
}
