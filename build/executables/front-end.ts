import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { compilerPackage, compilerWarnings, findCompiler, freestandingFlags } from './compiler.ts';
import { executablePath } from './executable.ts';
import { projectDirectory } from '../project.ts';
import { runOrThrow } from '../run.ts';

export const frontEndName = 'polycloud-credential-provider-front';
const currentSource = join(projectDirectory, 'credential-provider/front/front-end.c');

const compactLayoutFlags = ['-Wl,-z,norelro', '-Wl,-z,noseparate-code'];

export interface BuiltFrontEnd {
  readonly file: string;
  readonly sizeBytes: number;
}

/** Compiles the front end; `undefined` after a log line if there is no compiler for this architecture. */
export async function makeFrontEnd(
  arch: Architecture,
  log: (line: string) => void,
): Promise<BuiltFrontEnd | undefined> {
  const compiler = findCompiler(arch);
  if (compiler === undefined) {
    log(`${arch}: no front end, since there is no compiler; hint: install ${compilerPackage(arch)} (Debian)`);
    return undefined;
  }
  const file = executablePath(frontEndName, arch);
  await compileFrontEnd(compiler, currentSource, file);
  return { file, sizeBytes: (await stat(file)).size };
}

export async function compileFrontEnd(compiler: string, source: string, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // Replaced by a rename: it may be running or starting during the build.
  const unfinished = `${file}.${process.pid}`;
  await runOrThrow(
    compiler,
    [...compilerWarnings, ...freestandingFlags, ...compactLayoutFlags, '-o', unfinished, source],
    {
      stdin: '',
    },
  );
  await rename(unfinished, file);
}
