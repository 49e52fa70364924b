import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { findProgram } from '../../../build/executables/emulation.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import type { Support } from '../../lab/requires.ts';
import { runCommand, withEnvironment } from '../../lab/network/run-command.ts';

export function containerdSupport(): Support {
  const missing = ['containerd', 'ctr'].filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return { available: true };
  return { available: false, reason: `${missing.join(' and ')} (Debian package containerd)` };
}

const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** One of one's own, which only keeps images, until the test ends; gives its command line client. */
export async function startContainerd(
  t: Test,
  directory: string,
): Promise<(args: readonly string[]) => Promise<string>> {
  mkdirSync(directory);
  const [config, socket] = [join(directory, 'config.toml'), join(directory, 'containerd.sock')];
  writeFileSync(config, configuration(directory, socket));
  const child = spawn(...withEnvironment(env, 'containerd', ['--config', config]), { stdio: 'ignore' });
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  await waitUntil({ what: 'containerd', withinMs: 30_000, everyMs: 50 }, () =>
    Promise.resolve(existsSync(socket) || undefined),
  );
  return async (args) => {
    const options = { env, input: '', timeoutMs: 60_000 };
    const { code, stdout, stderr } = await runCommand('ctr', ['--address', socket, ...args], options);
    if (code === 0) return stdout;
    throw new Error(`ctr ${args.join(' ')}: ${stderr}`);
  };
}

function configuration(directory: string, socket: string): string {
  return `version = 2
root = "${directory}/root"
state = "${directory}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.overlayfs"]
[grpc]
address = "${socket}"
[ttrpc]
address = "${socket}.ttrpc"
`;
}
