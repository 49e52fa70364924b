import { run } from '../../../build/run.ts';
import type { ProgramModule } from './programs.ts';

export interface ModuleProgram {
  readonly module: ProgramModule;
  readonly name: string;
}

/** Why this file is not the program at the version that the lab is written for; `undefined` when it is. */
export async function versionProblem(program: ModuleProgram, file: string): Promise<string | undefined> {
  const { version, acceptedVersion } = program.module;
  const foundVersion = await readVersion(program, file);
  if (foundVersion === undefined) return `${file} does not tell its version, which has to be ${version}`;
  return acceptedVersion.test(foundVersion) ? undefined : `${file} is ${foundVersion}, and has to be ${version}`;
}

/** Helm prints only the version; cobra prints a sentence. */
const versionPattern =
  /(?:Kubernetes |etcd Version: |Client Version: | version |Cloud Node Manager |Cloud Provider Azure |GitVersion: +|^)v?(\d\S*)/;

async function readVersion({ module, name }: ModuleProgram, file: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(file, module.versionArguments[name] ?? ['--version'], { stdin: '' });
    return versionPattern.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
