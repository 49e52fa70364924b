import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';
import { requires } from '../../lab/requires.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import { startControlPlane } from '../../lab/control-plane/control-plane.ts';
import type { ControlPlaneOptions } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { processesMentioning } from '../../lab/control-plane/sessions.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { makeWorkDirectory } from '../../lab/control-plane/work-directory.ts';

const soon = { withinMs: 20_000, everyMs: 20 };
const found = await findPrograms();

await t.test('a port that is taken', requires(found), async (t) => {
  const taken = createServer((socket) => {
    t.teardown(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { message } = await failureOf(t, { parts: [], port });
  t.match(message, /kube-apiserver ended with exit code 1 before it was ready/);
  t.match(message, `127.0.0.1:${String(port)}: bind: address already in use`);
});

await t.test('a wrong argument', requires(found), async (t) => {
  const { message } = await failureOf(t, { parts: [], extraArguments: { 'kube-apiserver': ['--no-such-flag'] } });
  t.match(message, /kube-apiserver ended with exit code 1 before it was ready:[^]*unknown flag: --no-such-flag/);
});

await t.test('a broken program', requires(found), async (t) => {
  const etcd = join(t.testdir(), 'etcd');
  writeFileSync(etcd, '#!/bin/sh\necho "the disk is upside down" >&2\nexit 7\n', { mode: 0o755 });
  const { message, logs } = await failureOf(t, { parts: [], programs: { etcd } });
  t.match(message, /etcd ended with exit code 7 before it was ready:\nthe disk is upside down/);
  t.equal(readFileSync(join(logs, 'etcd.log'), 'utf8'), 'the disk is upside down\n');
});

await t.test('a part that is no program at all', requires(found), async (t) => {
  const file = join(t.testdir({ 'kube-scheduler': 'no program' }), 'kube-scheduler');
  const { message } = await failureOf(t, { parts: ['kube-scheduler'], programs: { 'kube-scheduler': file } });
  t.match(message, /kube-scheduler ended with exit code 126 before it was ready:[^]*Permission denied/);
});

await t.test(
  'when its process is killed all of it ends, and the next one removes what is left',
  requires(found),
  async (t) => {
    const parent = startOwner(t.testdir());
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const directory = said.toString().trim();
    t.ok(processesMentioning(directory).length >= 2 && existsSync(join(directory, 'etcd')));
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
    await nothingRunsIn(directory);

    await (await makeWorkDirectory('control-plane')).remove();
    t.same(readdirSync(directory), ['logs'], 'somebody may want to know why it was killed');
    const longAgo = new Date(0);
    await utimes(join(directory, 'logs'), longAgo, longAgo);
    await (await makeWorkDirectory('control-plane')).remove();
    t.notOk(existsSync(directory));
  },
);

await t.test('when a test fails, the logs stay, and their path is printed', requires(found), async (t) => {
  const script = writeScript(
    t.testdir(),
    `import t from 'tap';
     import { controlPlaneFor } from ${here('for-test.ts')};
     await t.test('one that fails', async (t) => {
       await controlPlaneFor(t, { parts: [] });
       t.fail('on purpose');
     });`,
  );
  const { stderr, code } = await runCommand(process.execPath, [script], {
    env: inherited(),
    input: '',
    timeoutMs: 60_000,
  });
  t.equal(code, 1);
  const logs = /one that fails failed: the control plane's logs are in (.+)$/m.exec(stderr)?.[1] ?? '';
  t.teardown(() => rm(dirname(logs), { recursive: true, force: true }));
  t.same(readdirSync(dirname(logs)), ['logs']);
  await nothingRunsIn(dirname(logs));
});

/** A start that fails reports the path of its logs, keeps nothing else, and leaves no process. */
async function failureOf(t: Test, options: ControlPlaneOptions): Promise<{ message: string; logs: string }> {
  const started = startControlPlane(options);
  const error = await started.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  const message = error?.message ?? '';
  const logs = /^The logs are in (.+)$/m.exec(message)?.[1] ?? '';
  const directory = dirname(logs);
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  t.same(readdirSync(directory), ['logs']);
  await nothingRunsIn(directory);
  return { message, logs };
}

async function nothingRunsIn(directory: string): Promise<void> {
  const isOver = async (): Promise<true | undefined> => processesMentioning(directory).length === 0 || undefined;
  await waitUntil({ what: 'the end of all processes', ...soon }, isOver);
}

/** A process that has a control plane and goes on. */
function startOwner(directory: string): ChildProcessByStdio<null, Readable, null> {
  const script = writeScript(
    directory,
    `import { dirname } from 'node:path';
     import { startControlPlane } from ${here('control-plane.ts')};
     console.log(dirname((await startControlPlane({ parts: [] })).logDirectory));`,
  );
  return spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function writeScript(directory: string, text: string): string {
  const script = join(directory, 'script.ts');
  writeFileSync(script, text);
  return script;
}

/** What it takes to find the programs. */
function inherited(): Readonly<Record<string, string>> {
  const names = ['HOME', 'PATH', 'XDG_CACHE_HOME', 'KUBEBUILDER_ASSETS'];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

function here(name: string): string {
  return JSON.stringify(fileURLToPath(new URL(`../../lab/control-plane/${name}`, import.meta.url)));
}
