import { existsSync } from 'node:fs';
import { findProgram } from '../executables/emulation.ts';
import { run } from '../run.ts';

/** The Go command, or what is wrong with the one that is here. */
export type Go =
  { readonly available: true; readonly file: string } | { readonly available: false; readonly reason: string };

/** The first that knows `tool` lines in go.mod. It gets itself a newer one when the go.mod asks for that. */
const oldest = { major: 1, minor: 24 };
const defaultGoFile = '/usr/local/go/bin/go';

export async function findGo(): Promise<Go> {
  const file = findProgram('go') ?? (existsSync(defaultGoFile) ? defaultGoFile : undefined);
  if (file === undefined) return { available: false, reason: 'there is none here' };
  const { stdout } = await run(file, ['env', 'GOVERSION'], { stdin: '' });
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const isNew = Number(major) > oldest.major || (Number(major) === oldest.major && Number(minor) >= oldest.minor);
  if (isNew) return { available: true, file };
  return { available: false, reason: `${file} is ${stdout.trim() || 'of an unknown version'}` };
}
