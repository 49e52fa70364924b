import { failureLine } from '../../lib/registry-login/failure-line.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import { versionLine } from '../../lib/command-line/version.ts';
import { run } from '../run.ts';
import type { Output } from '../run.ts';
import type { ProviderRuntime } from '../runtime.ts';
import { readArguments } from './arguments.ts';
import type { EmulatedProvider } from './emulated-provider.ts';

export interface CompatInvocation {
  readonly args: readonly string[];
  readonly startedAtMs: number;
  readRequest(): Promise<string>;
}

/** Invalid arguments and files fail before the request is read, with one line for the kubelet's log. */
export async function runEmulatedProvider(
  provider: EmulatedProvider,
  { args, startedAtMs, readRequest }: CompatInvocation,
  runtime: ProviderRuntime,
): Promise<Output> {
  try {
    const parsed = readArguments(provider, args);
    if (parsed.action !== 'run') {
      return printed(parsed.action === 'version' ? `${versionLine(provider.name)}\n` : helpFor(provider));
    }
    const compatMode = await provider.createMode(parsed, runtime);
    const input = { request: await readRequest(), verbosity: parsed.verbosity, startedAtMs, compatMode };
    return await run(input, { ...runtime, env: compatMode.env, host: compatMode.host ?? runtime.host });
  } catch (error) {
    return { stdout: '', stderr: `${failureLine(provider.name, error, createRedactor())}\n`, exitCode: 1 };
  }
}

function printed(stdout: string): Output {
  return { stdout, stderr: '', exitCode: 0 };
}

function helpFor({ name, summary, valueFlags }: EmulatedProvider): string {
  const flags = valueFlags.map((flag) => `  --${flag} VALUE\n`).join('');
  return `${summary}\n\npolycloud-credential-provider, emulating ${name}. Flags besides those for logs:\n${flags}  --version\n  --help\n`;
}
