import { failureLine } from '../../lib/image-login/failure-line.ts';
import { versionLine } from '../../lib/version.ts';
import { run } from '../run.ts';
import type { Output } from '../run.ts';
import type { World } from '../world.ts';
import { readArguments } from './arguments.ts';
import type { DropIn } from './drop-in.ts';

export interface Call {
  readonly args: readonly string[];
  readonly startedAtMs: number;
  readRequest(): Promise<string>;
}

/** Wrong arguments and files are said before the request is read, in one line, as the kubelet's log needs it. */
export async function runDropIn(
  dropIn: DropIn,
  { args, startedAtMs, readRequest }: Call,
  world: World,
): Promise<Output> {
  try {
    const given = readArguments(dropIn, args);
    if (given.wish !== 'run') return said(given.wish === 'version' ? `${versionLine(dropIn.name)}\n` : helpFor(dropIn));
    const setting = await dropIn.read(given, world);
    const input = { request: await readRequest(), verbosity: given.verbosity, startedAtMs, setting };
    return await run(input, { ...world, env: setting.env, host: setting.host ?? world.host });
  } catch (error) {
    return { stdout: '', stderr: `${failureLine(dropIn.name, error, [])}\n`, exitCode: 1 };
  }
}

function said(stdout: string): Output {
  return { stdout, stderr: '', exitCode: 0 };
}

function helpFor({ name, summary, valueFlags }: DropIn): string {
  const flags = valueFlags.map((flag) => `  --${flag} VALUE\n`).join('');
  return `${summary}\n\npolycloud-credential-provider in the place of ${name}. Besides the flags for logs it understands\n${flags}  --version\n  --help\n`;
}
