import { run } from '../run.ts';
import type { GoModule } from './go-module.ts';

export interface ModuleProgram {
  readonly module: GoModule;
  readonly name: string;
}

/** Why this file is not the program at the version that the lab is written for; `undefined` when it is. */
export async function versionProblem(program: ModuleProgram, file: string): Promise<string | undefined> {
  const { version, acceptedVersion, versionArguments } = program.module;
  const args = versionArguments[program.name] ?? ['--version'];
  if (args === 'none') return undefined;
  const foundVersion = await readVersion(file, args);
  if (foundVersion === undefined) return `${file} does not tell its version, which has to be ${version}`;
  return acceptedVersion.test(foundVersion) ? undefined : `${file} is ${foundVersion}, and has to be ${version}`;
}

/** Helm prints only the version; cobra prints a sentence. */
const versionPattern =
  /(?:Kubernetes |etcd Version: |Client Version: | version |Cloud Node Manager |Cloud Provider Azure |GitVersion: +|^)v?(\d\S*)/;

async function readVersion(file: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run(file, args, { stdin: '' });
    return versionPattern.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
