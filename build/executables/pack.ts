import { basename, join } from 'node:path';
import sea from '@yao-pkg/pkg/lib-es5/sea.js';
import type { Architecture } from '../architecture.ts';
import type { Assets } from './single-executable.ts';
import { seaConfig } from './single-executable.ts';

/** What one executable is made of. All paths are absolute. */
export interface PackInput {
  readonly arch: Architecture;
  /** The bundled `start/executable.ts`, in the directory that is TMPDIR. */
  readonly start: string;
  readonly nodeFlags: readonly string[];
  readonly assets: Assets;
  readonly output: string;
}

// `node pack.ts PARTS-AS-JSON`, in a process of its own: pkg looks for Node below HOME, which the caller has filled so
// that nothing is fetched, and it changes the working directory. Its command line does not pass the configuration on,
// so the module behind it is called.
const input = JSON.parse(process.argv[2] ?? '') as PackInput;
const target = {
  platform: 'linux' as const,
  arch: input.arch,
  nodeRange: `node${process.versions.node}`,
  output: input.output,
};
// The path of the start is written into the executable and shows up in stack traces, so it should not tell where this was
// built. It is looked up from the directory that pkg makes for itself in TMPDIR, next to the file.
const main = join('..', basename(input.start));
await sea.default(input.start, { targets: [target], seaConfig: seaConfig({ ...input, main }) });
