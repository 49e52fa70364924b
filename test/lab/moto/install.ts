import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Support } from '../requires.ts';

const motoVersion = '5.2.5';

export type Installation = Support & {
  /** The interpreter that has it. */
  readonly python: string;
};

/** Installs moto once per machine and user, outside the work tree. If it cannot, it names what is missing. */
export async function installMoto(): Promise<Installation> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const directory = join(cache, 'polycloud', `moto-${motoVersion}`);
  const python = join(directory, 'bin', 'python');
  if (existsSync(python)) return { available: true, python };
  const unfinished = `${directory}.${String(process.pid)}`;
  try {
    await install(unfinished);
    await moveInPlace(unfinished, directory);
    return { available: true, python };
  } catch (error) {
    return {
      available: false,
      python,
      reason: `moto ${motoVersion} needs python3 with venv, and PyPI once: ${lastLine(error)}`,
    };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const runProgram = promisify(execFile);

const requirementsFile = fileURLToPath(new URL('requirements.txt', import.meta.url));

async function install(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  await runProgram('python3', ['-m', 'venv', directory]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirementsFile];
  await runProgram(join(directory, 'bin', 'python'), pip);
}

/** Only a whole installation ever has the final name. Another process may have been quicker. */
async function moveInPlace(unfinished: string, directory: string): Promise<void> {
  try {
    await rename(unfinished, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim() ?? '').split('\n').at(-1) || message;
}
