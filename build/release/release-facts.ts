import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCommit } from '../commit.ts';
import { projectDirectory } from '../project.ts';
import { runOrThrow } from '../run.ts';

/** What identifies a release. */
export interface ReleaseFacts {
  readonly version: string;
  /** The whole git commit. */
  readonly commit: string;
  /** The time of the commit, in place of the time of the build, so that a second build has the same bytes. */
  readonly createdAt: Date;
}

/** A release is made from a commit alone: with changed files nobody could build it again. */
export async function readReleaseFacts(): Promise<ReleaseFacts> {
  const { version } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  const short = await readCommit();
  if (short === 'none') throw new Error('a release needs a git commit, and this is no git repository');
  if (short.includes('+')) throw new Error('files differ from the commit; hint: commit them, or `git stash` them');
  const commit = await git('rev-parse', 'HEAD');
  const tags = (await git('tag', '--points-at', 'HEAD')).split('\n').filter((tag) => /^v\d/.test(tag));
  if (tags.length > 0 && !tags.includes(`v${version}`)) {
    throw new Error(`the tag is ${tags.join(', ')}, and the version in package.json is ${version}`);
  }
  const seconds = Number(await git('show', '--no-patch', '--format=%ct', 'HEAD'));
  return { version, commit, createdAt: new Date(seconds * 1_000) };
}

async function git(...args: readonly string[]): Promise<string> {
  return (await runOrThrow('git', args, { cwd: projectDirectory, env: process.env, stdin: '' })).trim();
}
