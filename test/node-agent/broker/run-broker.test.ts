import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readHostBrokerFlags } from '../../../node-agent/broker/run-broker.ts';
import { waitFor } from '../../lib/kubernetes/scripted-server.ts';
import { exchange, requestFor } from './harness.ts';

const program = fileURLToPath(new URL('../../../node-agent/main.ts', import.meta.url));
const opening = fileURLToPath(new URL('socket-opener.ts', import.meta.url));

const pid = 42;
const systemd = { LISTEN_PID: String(pid), LISTEN_FDS: '1', LISTEN_FDNAMES: 'polycloud-broker' };
const socketPath = '/run/polycloud/broker.sock';

await t.test('without systemd it opens its socket itself', (t) => {
  t.strictSame(readHostBrokerFlags({}, {}, pid), { socketPath });
  t.strictSame(readHostBrokerFlags({ '--broker-socket': '/a', '--config': '/b' }, {}, pid), {
    socketPath: '/a',
    configFile: '/b',
  });
  t.end();
});

await t.test('the socket of systemd', (t) => {
  t.strictSame(readHostBrokerFlags({}, systemd, pid), { socketPath, descriptor: 3 });
  t.strictSame(readHostBrokerFlags({}, systemd, 43), { socketPath }, 'is for the process that it was made for');
  t.throws(() => readHostBrokerFlags({}, { ...systemd, LISTEN_FDS: '2' }, pid), /handed over 2 sockets/);
  t.end();
});

await t.test('it cannot be switched off', (t) => {
  t.throws(() => readHostBrokerFlags({ '--broker-socket': 'none' }, {}, pid), /leaves nothing to do/);
  t.end();
});

await t.test('requests that wait at the socket of systemd are answered once it runs', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-'));
  const [path, hostPath] = [join(directory, 'broker.sock'), join(directory, 'host-broker.sock')];
  const opener = openSocket(hostPath, ['broker', '--broker-socket', path]);
  const lines = createInterface({ input: opener.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  let running: number | undefined;
  t.teardown(async () => {
    if (running !== undefined) process.kill(running, 'SIGKILL');
    opener.stdin.end();
    opener.kill('SIGKILL');
    await rm(directory, { recursive: true });
  });
  t.equal(await nextLine(), 'listening');
  for (const run of ['the first', 'the next']) {
    const ask = (at: string): Promise<string> => exchange(at, `polycloud/2 x\n${requestFor('a.example.com/b', {})}`);
    const waiting = ask(hostPath);
    opener.stdin.write('x');
    const broker = Number(await nextLine());
    running = broker;
    t.match(await waiting, '"auth":{}', `${run}: an image that no cloud serves`);
    await waitFor(() => existsSync(path));
    t.match(await ask(path), '"auth":{}', 'the path of front ends leads there');
    process.kill(broker, 'SIGTERM');
    t.equal(await nextLine(), 'ended');
    running = undefined;
    t.ok((await stat(hostPath)).isSocket(), 'the socket of systemd stays');
    t.ok((await stat(path)).isSocket(), 'so that the next request waits there');
  }
});

function openSocket(path: string, args: readonly string[]) {
  const command = [process.execPath, program, ...args];
  return spawn(process.execPath, [opening, path, ...command], { stdio: ['pipe', 'pipe', 'ignore'] });
}
