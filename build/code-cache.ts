import type { TrainingRun } from './programs.ts';
import { run } from './run.ts';
import { nodeFlags } from './single-executable.ts';

/**
 * Makes the bundle run and adds what V8 compiled meanwhile to `codeCache`, a file that is empty at first. `node` is the
 * command line of the base executable, and `training` the bundled `start/training.ts`. A run that fails would not teach what is needed later, so it stops the build.
 */
export async function train(
  node: readonly string[],
  files: { readonly training: string; readonly bundle: string; readonly codeCache: string },
  trainingRuns: readonly TrainingRun[],
): Promise<void> {
  for (const trainingRun of trainingRuns) {
    const surroundings = await trainingRun.surroundings?.();
    try {
      const [file, ...args] = [...node, ...nodeFlags, files.training, files.bundle, files.codeCache];
      const options = { env: { ...surroundings?.env }, stdin: trainingRun.stdin };
      const ended = await run(file, [...args, ...trainingRun.args], options);
      if (ended.code !== 0) throw new Error(`a training run ended with ${ended.code}: ${ended.stderr}`);
    } finally {
      await surroundings?.stop();
    }
  }
}
