import { existsSync } from 'node:fs';
import { run, runOrThrow } from '../../build/run.ts';

export interface PackageStatus {
  /** Packages that are still not there. */
  readonly missing: readonly string[];
  /** What it would take to have them, one sentence; absent when nothing is missing. */
  readonly remedy?: string;
}

/**
 * Sees to it that Debian packages are there: as root on Debian, and unless forbidden by `--no-install` on the command
 * line or POLYCLOUD_NO_INSTALL, the missing ones are installed and named. Otherwise the message names what is needed.
 */
export async function ensureDebianPackages(
  names: readonly string[],
  log: (line: string) => void,
): Promise<PackageStatus> {
  if (names.length === 0) return { missing: [] };
  const missing = await notInstalled(names);
  if (missing.length === 0) return { missing };
  const obstacle = installObstacle();
  const remedy = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (obstacle !== undefined) return { missing, remedy: `${remedy} (${obstacle})` };
  try {
    log(`installing Debian packages: ${missing.join(' ')}`);
    await install(missing);
    return { missing: [] };
  } catch (error) {
    return { missing, remedy: `${remedy} (tried, and failed: ${lastLine((error as Error).message)})` };
  }
}

function installObstacle(): string | undefined {
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) return 'this is not Debian';
  if (process.getuid?.() !== 0) return 'not root here';
  if (process.argv.includes('--no-install')) return 'forbidden here by --no-install';
  if ((process.env['POLYCLOUD_NO_INSTALL'] ?? '') !== '') return 'forbidden here by POLYCLOUD_NO_INSTALL';
  return undefined;
}

async function notInstalled(names: readonly string[]): Promise<readonly string[]> {
  if (!existsSync('/usr/bin/dpkg-query')) return names;
  // It ends with 1 when it does not know one of them, and still answers for the others.
  const { stdout } = await run('dpkg-query', ['--show', '--showformat=${Package} ${db:Status-Status}\n', ...names], {
    stdin: '',
  });
  const installed = new Set(stdout.split('\n').filter((line) => line.endsWith(' installed')));
  return names.filter((name) => !installed.has(`${name} installed`));
}

async function install(names: readonly string[]): Promise<void> {
  // Another apt-get at work is waited for.
  const always = ['-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`, '-q'];
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdin: '' };
  await runOrThrow('apt-get', [...always, 'update'], options);
  await runOrThrow('apt-get', [...always, 'install', '--yes', '--no-install-recommends', ...names], options);
}

const lockTimeoutSeconds = 300;

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
