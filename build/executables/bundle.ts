import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { build, transform } from 'esbuild';
import { projectDirectory } from '../project.ts';

/** JavaScript by file name, all of it ASCII. `main.js` comes first and finds the others by `require('./NAME')`. */
export type Chunks = ReadonlyMap<string, string>;

/** Bundles a program into one file. */
export async function bundle(main: string): Promise<string> {
  const { outputFiles } = await build({ ...esbuildOptions, ...asCommonJs, entryPoints: [main], write: false });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild made nothing of ${main}`);
  return file.text;
}

/**
 * Bundles a program into one chunk per `import()`, so that a run loads only what it needs; code that several chunks share
 * becomes a chunk too. esbuild splits only ES modules, so each chunk is converted to CommonJS afterwards.
 * `constants` are names in the sources that get their value at build time.
 */
export async function bundleChunks(main: string, constants: Readonly<Record<string, string>>): Promise<Chunks> {
  const { outputFiles } = await build({
    ...esbuildOptions,
    format: 'esm',
    splitting: true,
    entryPoints: [{ in: main, out: 'main' }],
    chunkNames: '[name]-[hash]',
    outdir: '.',
    define: constants,
    write: false,
  });
  const { target, minify, charset } = esbuildOptions;
  const chunks = outputFiles.map(async ({ path, text }) => {
    const { code } = await transform(text, { target, minify, charset, platform: 'node', ...asCommonJs });
    return [relative(projectDirectory, path), code] as const;
  });
  return new Map(await Promise.all(chunks));
}

/** The files that a program's bundle is made of, relative to the project. */
export async function bundledFiles(main: string): Promise<readonly string[]> {
  const { metafile } = await build({ ...esbuildOptions, entryPoints: [main], write: false, metafile: true });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

export function buildConstants(commit: string): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  return { POLYCLOUD_BUILD: JSON.stringify({ version, commit }) };
}

/** `import()` becomes a lazy `require`: a real one would evaluate every getter of Node's own modules. */
const asCommonJs = { format: 'cjs', supported: { 'dynamic-import': false } } as const;

const esbuildOptions = {
  absWorkingDir: projectDirectory,
  bundle: true,
  platform: 'node',
  target: 'node24.21',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Tree shaking needs ES modules: the CommonJS variants of the SDKs also load HTTP/2 and more.
  mainFields: ['module', 'main'],
  conditions: ['module'],
  // Modules that no run uses, but would have to load.
  alias: {
    '@aws-sdk/credential-provider-node': './build/executables/stand-ins/credential-provider-node.ts',
    '@azure/core-client': './build/executables/stand-ins/azure-core-client.ts',
    '@azure/core-rest-pipeline': './build/executables/stand-ins/azure-rest-pipeline.ts',
    '@azure/logger': './build/executables/stand-ins/azure-logger.ts',
    open: './build/executables/stand-ins/open.ts',
    '@smithy/node-http-handler': './build/executables/stand-ins/node-http-handler.ts',
  },
  // The start reads the bundle as Latin-1, one byte per character.
  charset: 'ascii',
} as const satisfies BuildOptions;
