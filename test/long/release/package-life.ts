import { existsSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { installedDirectory, podNames } from '../../../build/release/linux-packages.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import type { RunResult } from '../../lab/network/run-command.ts';
import type { Support } from '../../lab/requires.ts';
import { systemdHostFor } from '../../lab/node/systemd-host.ts';

const name = 'polycloud-credential-provider';
const units = ['polycloud-broker.socket', 'polycloud-broker.service'];

/** What the package puts on a host, and what a link leads to. */
const files: Readonly<Record<string, number | string>> = {
  [`${installedDirectory}/${name}`]: 0o100755,
  [`${installedDirectory}/${name}-full`]: 0o100755,
  ...Object.fromEntries(podNames.map((pod) => [`${installedDirectory}/${pod}`, name])),
  [`/usr/bin/${name}`]: `${installedDirectory}/${name}-full`,
  '/usr/bin/polycloud-node-agent': 0o100755,
  ...Object.fromEntries(units.map((unit) => [`/usr/lib/systemd/system/${unit}`, 0o100644])),
  [`/usr/share/doc/${name}/copyright`]: 0o100644,
  [`/usr/share/doc/${name}/third-party-notices.txt`]: 0o100644,
};

/** Installs a package on a Debian host with systemd, updates, removes and purges it. */
export async function checkLifeOfDeb(t: Test, deb: string): Promise<void> {
  const { root, run: runOnHost } = await systemdHostFor(t);
  const run = async (file: string, ...args: readonly string[]): Promise<RunResult> => {
    const result = await runOnHost(file, args);
    if (result.code !== 0) t.comment(`${file} ${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return result;
  };
  const found = async (path: string): Promise<number | string | undefined> => {
    const stats = await lstat(join(root, path)).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (stats.uid !== 0 || stats.gid !== 0) return 'not of root';
    return stats.isSymbolicLink() ? readlink(join(root, path)) : stats.mode;
  };
  const foundFiles = async (): Promise<Readonly<Record<string, unknown>>> =>
    Object.fromEntries(await Promise.all(Object.keys(files).map(async (path) => [path, await found(path)] as const)));
  const stateOf = async (verb: string): Promise<readonly string[]> =>
    (await runOnHost('/usr/bin/systemctl', [verb, ...units])).stdout.trim().split('\n');
  // Networks of other tests come and go in /etc/netns of this machine, which is below that of the host.
  const trace = async (): Promise<string> =>
    (
      await run(
        '/usr/bin/find',
        '/usr',
        '/etc',
        '-path',
        '/etc/netns',
        '-prune',
        '-o',
        '-name',
        '*polycloud*',
        '-print',
      )
    ).stdout;
  const before = await trace();

  t.equal((await run('/usr/bin/dpkg', '--install', deb)).code, 0);
  t.strictSame(await foundFiles(), files);
  const listed = (await run('/usr/bin/dpkg', '--listfiles', name)).stdout.split('\n');
  for (const path of Object.keys(files)) t.ok(listed.includes(path), `${path} belongs to the package`);
  t.equal((await run('/usr/bin/dpkg-query', '--show', '--showformat=${Conffiles}', name)).stdout, '', 'no conffiles');
  t.match((await run('/usr/bin/dpkg', '--verify', name)).stdout, /^$/, 'as packed');
  t.strictSame(await stateOf('is-enabled'), ['enabled', 'enabled']);
  t.strictSame(await stateOf('is-active'), ['active', 'active']);
  for (const program of [name, 'polycloud-node-agent']) {
    t.match((await run(`/usr/bin/${program}`, '--version')).stdout, `${program} `);
  }

  await run('/usr/bin/systemctl', 'disable', '--now', ...units);
  t.equal((await run('/usr/bin/dpkg', '--install', deb)).code, 0, 'an upgrade');
  t.strictSame(await stateOf('is-enabled'), ['disabled', 'disabled'], 'an upgrade leaves what an administrator chose');
  t.strictSame(await stateOf('is-active'), ['inactive', 'inactive']);
  await run('/usr/bin/systemctl', 'enable', '--now', ...units);
  t.equal((await run('/usr/bin/dpkg', '--install', deb)).code, 0);
  t.strictSame(await stateOf('is-active'), ['active', 'active']);

  t.equal((await run('/usr/bin/dpkg', '--remove', name)).code, 0);
  t.equal((await run('/usr/bin/dpkg', '--purge', name)).code, 0);
  t.equal(await trace(), before, 'nothing is left');
  t.equal(await found('/run/polycloud/broker.sock'), undefined);
  t.match(await runOnHost('/usr/bin/dpkg-query', ['--show', name]), { code: 1 });
}

const rpm = '/usr/bin/rpm';

/** It has the same files, and the scripts for the arguments of rpm. */
export async function checkRpm(t: Test, file: string): Promise<void> {
  // Even a query makes a database in the home directory.
  const options = { env: { PATH: '/usr/bin:/bin', HOME: t.testdir() }, input: '', timeoutMs: 120_000 };
  const query = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(rpm, ['--query', '--package', ...args, file], options);
    t.equal(code, 0, stderr);
    return stdout;
  };
  const lines = (await query('--queryformat', '[%{FILENAMES} %{FILEMODES:octal} %{FILELINKTOS}\\n]')).split('\n');
  for (const [path, kind] of Object.entries(files)) {
    // The mode of a link has no effect.
    const line = typeof kind === 'string' ? `${path} 120000 ${kind}` : `${path} ${kind.toString(8)} `;
    t.ok(lines.includes(line), line);
  }
  t.match(await query('--requires'), /^glibc >= 2\.28$/m);
  t.match(await query('--scripts'), /postinstall scriptlet[^]*enable[^]*preuninstall scriptlet[^]*disable/);
  t.equal(await query('--configfiles'), '');
}

export function rpmSupport(): Support {
  return existsSync(rpm) ? { available: true } : { available: false, reason: 'needs the Debian package rpm' };
}
