import { run } from '../../../build/run.ts';
import { moduleOf } from './programs.ts';
import type { ProgramName } from './programs.ts';

/** Why this file is not the program at the version that the lab is written for; `undefined` when it is. */
export async function objectionToVersion(name: ProgramName, file: string): Promise<string | undefined> {
  const { version, acceptedVersion } = moduleOf(name);
  const said = await askVersion(name, file);
  if (said === undefined) return `${file} does not tell its version, which has to be ${version}`;
  return acceptedVersion.test(said) ? undefined : `${file} is ${said}, and has to be ${version}`;
}

async function askVersion(name: ProgramName, file: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(file, versionArguments[name] ?? ['--version'], { stdin: '' });
    return /(?:Kubernetes|etcd Version:|Client Version:) v?(\S+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

const versionArguments: Readonly<Partial<Record<ProgramName, readonly string[]>>> = {
  kubectl: ['version', '--client'],
};
