import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import { freePort } from '../../../lab/control-plane/free-port.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { runCommand, withEnvironment } from '../../../lab/network/run-command.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { sendRequest } from '../../../lib/server/send-request.ts';

const agent = executablePath('polycloud-node-agent', hostArchitecture());
const needs = requires(await namespaceSupport());
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', NODE_NAME: 'node' };

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{ name: away, cluster: { server: 'http://127.0.0.1:1' } }]
users: [{ name: us, user: { token: none } }]
contexts: [{ name: us, context: { cluster: away, user: us } }]
current-context: us
`;

interface DiskFault {
  /** Mount options of the file system of the socket. */
  readonly options: string;
  readonly reason: RegExp;
  readonly remount: string;
}

const diskFaults: Readonly<Record<string, DiskFault>> = {
  'is full': { options: 'nr_inodes=1', reason: /cannot be created \(ENOSPC\)/, remount: 'remount,nr_inodes=100' },
  'is read-only': { options: 'ro', reason: /cannot be created \(EROFS\)/, remount: 'remount,rw' },
};

await Promise.all(
  Object.entries(diskFaults).map(async ([what, { options, reason, remount }]) =>
    t.test(
      `the file system of the broker's socket ${what}: readiness reports it, and it recovers`,
      needs,
      async (t) => {
        const { pid, port, volume, said } = await startAgent(t, options);
        await untilReady(port, '[-]broker-socket failed');
        const mount = ['--target', String(pid), '--mount', 'mount', '-o', remount, volume];
        t.match(await runCommand('nsenter', mount, { env, input: '', timeoutMs: 10_000 }), { code: 0 });
        await untilReady(port, '[+]broker-socket ok');
        t.match(await said(), reason);
      },
    ),
  ),
);

interface Started {
  readonly pid: number;
  readonly port: number;
  readonly volume: string;
  /** Stops it, and returns all its output. */
  said(): Promise<string>;
}

async function startAgent(t: Test, options: string): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-disk-'));
  await writeFile(join(directory, 'kubeconfig'), kubeconfig);
  const volume = join(directory, 'volume');
  const port = await freePort();
  const flags = `--kubeconfig ${directory}/kubeconfig --cloud static --bind-address 127.0.0.1 --secure-port ${port}`;
  const sockets = `--broker-socket ${volume}/polycloud/broker.sock --status-socket ${directory}/status.sock`;
  const script = `mkdir ${volume} && mount -t tmpfs -o ${options} tmpfs ${volume} && exec ${agent} ${flags} ${sockets}`;
  const unshared = ['--mount', '--propagation', 'private', 'sh', '-c', script];
  const child = spawn(...withEnvironment(env, 'unshare', unshared), { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  const output = text(child.stderr);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
    await rm(directory, { recursive: true });
  });
  return {
    pid: child.pid ?? 0,
    port,
    volume,
    said: () => {
      child.kill('SIGKILL');
      return output;
    },
  };
}

async function untilReady(port: number, line: string): Promise<void> {
  const patience = { what: line, withinMs: 30_000, everyMs: 100 };
  await waitUntil(patience, async () => {
    const reply = await sendRequest(port, '/readyz?verbose', {}).catch(() => undefined);
    return reply?.text.includes(line) === true ? true : undefined;
  });
}
