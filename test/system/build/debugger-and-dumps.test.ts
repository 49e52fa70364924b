import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { findCompiler } from '../../../build/executables/compiler.ts';

const sigusr1 = constants.signals.SIGUSR1;
/** A state of TCP, as the kernel writes it. */
const listening = '0A';
const request = JSON.stringify({
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  kind: 'CredentialProviderRequest',
  image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1',
});

/** A client that connects waits for ever, which proves that the program runs and has work. */
const silent = createServer();
silent.listen(0, '127.0.0.1');
await once(silent, 'listening');
const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
t.teardown(() => silent.close());
// Not in this project: another user may not get through to it.
const directory = await mkdtemp(join(tmpdir(), 'polycloud-dumps-'));
await chmod(directory, 0o777);
t.teardown(() => rm(directory, { recursive: true }));
const kubeconfig = join(directory, 'kubeconfig');
await writeFile(kubeconfig, kubeconfigFor(address));

const sockets = ['--broker-socket', 'none', '--status-socket', join(directory, 'status')];
const programs: Readonly<Record<string, readonly string[]>> = {
  'polycloud-credential-provider': [],
  'polycloud-node-agent': ['--kubeconfig', kubeconfig, '--node-name', 'a', '--secure-port', '0', ...sockets],
  'polycloud-ccm': ['--kubeconfig', kubeconfig, '--cloud-provider', 'aws', '--secure-port', '0'],
};

for (const [program, args] of Object.entries(programs)) {
  await t.test(`${program}: SIGUSR1 opens no debugger, and has no other effect`, async (t) => {
    const { child, said } = await start(t, program, args);
    child.kill('SIGUSR1');
    t.notOk(signals(child, 'SigCgt').has(sigusr1), 'nothing in it waits for the signal');
    t.ok(signals(child, 'ShdPnd').has(sigusr1), 'it stays where it is');
    t.strictSame(tcpListeners(child), [], 'it listens nowhere');
    child.kill('SIGTERM');
    await once(child, 'exit');
    t.not(child.signalCode, 'SIGUSR1');
    t.notMatch(said(), /debugger/i);
  });

  const skip = findCompiler(hostArchitecture()) === undefined && 'it takes a C compiler (Debian: gcc) to be built so';
  await t.test(`${program}: no core dump, whatever the limit that it is started with`, { skip }, async (t) => {
    const { child } = await start(t, program, args);
    const limits = readFileSync(`/proc/${child.pid}/limits`, 'utf8');
    t.match(limits, /^Max core file size +0 +0 /m);
    // The kernel gives the files of a process that is not dumpable to root.
    t.equal((await stat(`/proc/${child.pid}/environ`)).uid, 0);
    t.match(readFileSync(`/proc/${child.pid}/status`, 'utf8'), /^Uid:\t(?!0\b)/m, 'which it is not');
  });
}

interface Started {
  readonly child: ChildProcess;
  said(): string;
}

/** Under another user than root, and with core dumps allowed. Gives it once it waits for the silent server. */
async function start(t: Test, program: string, args: readonly string[]): Promise<Started> {
  const file = await open(executablePath(program, hostArchitecture()));
  t.teardown(() => file.close());
  const connected = once(silent, 'connection');
  // By its descriptor, for the same reason.
  const user = process.getuid?.() === 0 ? 'setpriv --reuid 65534 --clear-groups' : '';
  const env = `AWS_EC2_METADATA_SERVICE_ENDPOINT=${address}`;
  const command = `ulimit -c $(ulimit -Hc); exec ${user} env -i ${env} /proc/self/fd/3 "$@"`;
  const child = spawn('sh', ['-c', command, program, ...args], { stdio: ['pipe', 'ignore', 'pipe', file.fd] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  child.stdin?.on('error', () => undefined).end(request);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended: ${said}`)));
  await Promise.race([connected, ended]);
  ended.catch(() => undefined);
  return { child, said: () => said };
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function signals({ pid }: ChildProcess, set: 'SigCgt' | 'ShdPnd'): ReadonlySet<number> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mask = BigInt(`0x${new RegExp(`^${set}:\\t(\\w+)$`, 'm').exec(status)?.[1] ?? ''}`);
  return new Set(Array.from({ length: 64 }, (_, at) => at + 1).filter((number) => (mask >> BigInt(number - 1)) & 1n));
}

/** The local addresses, as the kernel writes them, that the process listens on. */
function tcpListeners({ pid }: ChildProcess): readonly string[] {
  const descriptors = `/proc/${pid}/fd`;
  const own = new Set(readdirSync(descriptors).map((name) => readlinkSync(join(descriptors, name))));
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'));
  const rowFields = rows.map((row) => row.trim().split(/\s+/));
  const found = rowFields.filter((fields) => fields[3] === listening && own.has(`socket:[${fields[9]}]`));
  return found.map((fields) => fields[1] ?? '');
}

function kubeconfigFor(server: string): string {
  const name = 'lab';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token: 'x' } }],
  });
}
