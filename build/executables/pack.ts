import { basename, join } from 'node:path';
import sea from '@yao-pkg/pkg/lib-es5/sea.js';
import type { Architecture } from '../architecture.ts';
import type { Assets } from './single-executable.ts';
import { seaConfig } from './single-executable.ts';

/** The inputs of one executable. All paths are absolute. */
export interface PackInput {
  readonly arch: Architecture;
  /** The bundled `start/executable.ts`, in the directory that is TMPDIR. */
  readonly start: string;
  readonly nodeFlags: readonly string[];
  readonly assets: Assets;
  readonly output: string;
}

// `node pack.ts INPUT-AS-JSON`, in a process of its own: pkg looks for Node below HOME, which the caller has filled so
// that nothing is fetched, and it changes the working directory. The command line of pkg does not pass on the SEA
// configuration, so its module is called.
const input = JSON.parse(process.argv[2] ?? '') as PackInput;
const target = {
  platform: 'linux' as const,
  arch: input.arch,
  nodeRange: `node${process.versions.node}`,
  output: input.output,
};
// The path of the start script is part of the executable and appears in stack traces, so it must not contain the build
// directory. It is relative to the directory that pkg creates in TMPDIR, beside the script.
const main = join('..', basename(input.start));
await sea.default(input.start, { targets: [target], seaConfig: seaConfig({ ...input, main }) });
