import type { Test } from 'tap';
import { createAuthority } from '../authority.ts';
import { makeWorkDirectory } from '../control-plane/work-directory.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { createNamespace } from '../network/namespace.ts';
import { filesOf } from '../network/names.ts';
import type { RunResult } from '../network/run-command.ts';
import { createCleanup } from './cleanup.ts';
import { isListening } from './listening.ts';
import { createNodeNamespaces } from './node-namespaces.ts';

/** A machine with systemd and D-Bus and nothing else, which ends with the test. */
export interface SystemdHost {
  /** Its root as `--host-root`. */
  readonly root: string;
  run(file: string, args: readonly string[]): Promise<RunResult>;
}

export async function systemdHostFor(t: Test): Promise<SystemdHost> {
  const directory = await makeWorkDirectory('node');
  const cleanup = createCleanup();
  t.teardown(() => cleanup.run('remove'));
  cleanup.add(() => directory.remove());
  const authority = await createAuthority(directory.path);
  const network = await createNamespace({ addresses: [], hosts: {}, trust: authority.certificateFile });
  cleanup.add(() => network.remove());
  const namespaces = await createNodeNamespaces({
    network: network.name,
    hostname: 'host',
    etcFiles: filesOf(network.name),
    dmi: {},
    serviceManager: 'systemd',
    directory: directory.path,
    logs: directory.logs,
  });
  cleanup.add(() => namespaces.remove());
  await waitUntil({ what: 'D-Bus is there', withinMs: 60_000, everyMs: 20 }, async () =>
    (await isListening(namespaces.path('/run/dbus/system_bus_socket'))) ? true : undefined,
  );
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  return {
    root: namespaces.path('/.'),
    run: (file, args) => namespaces.run(file, args, { env, input: '', timeoutMs: 60_000 }),
  };
}
