import { projectDirectory } from './project.ts';
import { run } from './run.ts';

/** The short git commit of the sources, with a mark if files differ from it. */
export async function readCommit(): Promise<string> {
  const head = await git(['rev-parse', '--short=12', 'HEAD']);
  if (head === undefined) return 'none';
  const changes = await git(['status', '--porcelain', '--untracked-files=normal']);
  return changes === '' ? head : `${head}+changes`;
}

async function git(args: readonly string[]): Promise<string | undefined> {
  try {
    const options = { cwd: projectDirectory, env: process.env, stdin: '' };
    const { code, stdout } = await run('git', args, options);
    return code === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}
