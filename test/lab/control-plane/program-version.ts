import { run } from '../../../build/run.ts';
import type { ProgramModule } from './programs.ts';

export interface Program {
  readonly module: ProgramModule;
  readonly name: string;
}

/** Why this file is not the program at the version that the lab is written for; `undefined` when it is. */
export async function objectionToVersion(program: Program, file: string): Promise<string | undefined> {
  const { version, acceptedVersion } = program.module;
  const said = await askVersion(program, file);
  if (said === undefined) return `${file} does not tell its version, which has to be ${version}`;
  return acceptedVersion.test(said) ? undefined : `${file} is ${said}, and has to be ${version}`;
}

/** Helm says nothing but the version; cobra has a sentence of its own. */
const versionPattern = /(?:Kubernetes |etcd Version: |Client Version: | version |Cloud Node Manager |^)v?(\d\S*)/;

async function askVersion({ module, name }: Program, file: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(file, module.versionArguments[name] ?? ['--version'], { stdin: '' });
    return versionPattern.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
