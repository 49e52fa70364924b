import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { build } from 'esbuild';
import { projectDirectory } from './project.ts';

/** Everything a program is made of in one piece of ASCII JavaScript. `constants` are known only now. */
export async function bundle(main: string, constants: Readonly<Record<string, string>>): Promise<Buffer> {
  const options: BuildOptions = { ...esbuildOptions, entryPoints: [join(projectDirectory, main)], define: constants };
  const { outputFiles } = await build({ ...options, write: false });
  const contents = outputFiles[0]?.contents;
  if (contents === undefined) throw new Error(`esbuild made nothing of ${main}`);
  return Buffer.from(contents);
}

export function buildConstants(commit: string): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  return { POLYCLOUD_BUILD: JSON.stringify({ version, commit }) };
}

const esbuildOptions = {
  absWorkingDir: projectDirectory,
  bundle: true,
  platform: 'node',
  target: 'node24.21',
  format: 'cjs',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Only ES modules can be shaken: the SDKs' CommonJS doubles drag in HTTP/2 and more.
  mainFields: ['module', 'main'],
  conditions: ['module'],
  // `import()` becomes a lazy `require`: a real one would evaluate every getter of Node's own modules.
  supported: { 'dynamic-import': false },
  // The start reads the bundle byte by byte, so nothing in it may need two.
  charset: 'ascii',
} as const satisfies BuildOptions;
