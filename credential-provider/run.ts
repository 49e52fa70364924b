import { loadConfig } from '../lib/config/load-config.ts';
import { answerRequest } from '../lib/image-login/answer-request.ts';
import type { Steps } from '../lib/image-login/answer-request.ts';
import { failureLines, noteLines } from '../lib/image-login/failure-line.ts';
import { logIn } from '../lib/image-login/log-in.ts';
import { inTime } from './in-time.ts';
import { openContext } from './open-context.ts';
import { programName } from './world.ts';
import type { Input, Progress, World } from './world.ts';

export interface Output {
  /** One JSON object, or nothing. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 1;
}

/** A request in, an answer or one clear line out. Never throws. */
export async function run(input: Input, world: World): Promise<Output> {
  const secrets: string[] = [];
  const notes: string[] = [];
  const end = new AbortController();
  const progress: Progress = { secrets, notes, end, lastStep: '' };
  try {
    const work = answerRequest(input.request, stepsOf(input, world, progress));
    const answer = await inTime(work, input.startedAtMs, world, progress);
    return { stdout: `${JSON.stringify(answer)}\n`, stderr: noteLines(programName, notes, secrets), exitCode: 0 };
  } catch (error) {
    return { stdout: '', stderr: failureLines(programName, error, notes, secrets), exitCode: 1 };
  } finally {
    end.abort(new Error('answered'));
  }
}

function stepsOf(input: Input, world: World, progress: Progress): Steps {
  const { env, host, clouds, clock } = world;
  return {
    clock,
    keepSecret: (value) => void progress.secrets.push(value),
    ...(input.setting !== undefined && { manner: input.setting.manner }),
    openCatalogue: async () => {
      const config = await loadConfig(input.configFile, host);
      return { clouds, world: { env, host }, config: input.setting?.adapt(config) ?? config };
    },
    logIn: async (found, as, catalogue) =>
      logIn(found, as, catalogue, await openContext(input, world, catalogue.config, progress)),
  };
}
