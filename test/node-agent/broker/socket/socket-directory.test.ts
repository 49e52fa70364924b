import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { listen } from '../../../../node-agent/broker/socket/listen.ts';
import { exchange } from '../harness.ts';

const root = await mkdtemp(join(tmpdir(), 'polycloud-'));
t.teardown(() => rm(root, { recursive: true }));
const isRoot = process.getuid?.() === 0;
const respondWith = (text: string) => async () => ({ outcome: 'answer' as const, text });
const brokerRequest = 'polycloud/1 x\n{}';

async function modeOf(path: string): Promise<number> {
  return (await lstat(path)).mode & 0o7777;
}

await t.test('the directory is created for its owner only', async (t) => {
  const listener = await listen(join(root, 'new/broker.sock'), respondWith('{}'));
  t.equal(await modeOf(join(root, 'new')), 0o700);
  t.equal(await exchange(join(root, 'new/broker.sock'), brokerRequest), 'polycloud/1 answer\n{}\nend\n');
  await listener.close();
});

await t.test('a directory of ours with another mode is corrected', async (t) => {
  await mkdir(join(root, 'open'));
  await chmod(join(root, 'open'), 0o777);
  const listener = await listen(join(root, 'open/broker.sock'), respondWith('{}'));
  t.equal(await modeOf(join(root, 'open')), 0o700);
  await listener.close();
});

await t.test('a link or a file is not used', async (t) => {
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  await writeFile(join(root, 'file'), '');
  for (const name of ['link', 'file']) {
    const path = join(root, name, 'broker.sock');
    await t.rejects(listen(path, respondWith('{}')), {
      kind: 'misconfigured',
      message: /directory of the broker's socket/,
    });
  }
  t.strictSame(await readdir(join(root, 'real')), []);
});

await t.test('a directory of another user is not used', { skip: isRoot ? false : 'needs root' }, async (t) => {
  await mkdir(join(root, 'other'), { mode: 0o700 });
  await chown(join(root, 'other'), 65_534, 65_534);
  const listening = listen(join(root, 'other/broker.sock'), respondWith('{}'));
  // A socket that is open all the same would keep this process alive.
  t.teardown(async () => (await listening.catch(() => undefined))?.close());
  await t.rejects(listening, { message: /belongs to user 65534/ });
});

await t.test('a path that is too long for a socket', async (t) => {
  const path = join(root, 'x'.repeat(100), 'broker.sock');
  await t.rejects(listen(path, respondWith('{}')), { kind: 'misconfigured', message: /longer than 98 bytes/ });
});

await t.test('the next agent takes over, and the previous one does not remove its socket', async (t) => {
  const path = join(root, 'next/broker.sock');
  const old = await listen(path, respondWith('old'));
  const next = await listen(path, respondWith('next'));
  t.match(await exchange(path, brokerRequest), 'next');
  await old.close();
  t.match(await exchange(path, brokerRequest), 'next');
  await next.close();
  t.strictSame(await readdir(join(root, 'next')), []);
});

await t.test('the files of a killed agent are replaced', async (t) => {
  await mkdir(join(root, 'left'), { mode: 0o700 });
  await writeFile(join(root, 'left/broker.sock'), '');
  const listener = await listen(join(root, 'left/broker.sock'), respondWith('{}'));
  t.match(await exchange(join(root, 'left/broker.sock'), brokerRequest), 'answer');
  await listener.close();
});

await t.test('connections that close early or send nothing do not affect others', async (t) => {
  const path = join(root, 'rude/broker.sock');
  const listener = await listen(path, respondWith('{}'));
  for (const rude of ['', 'polycloud/1 x\n{}', 'x'.repeat(200_000)]) {
    const socket = createConnection(path);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(rude);
    socket.destroy();
  }
  const silent = createConnection(path);
  await once(silent, 'connect');
  t.match(await exchange(path, brokerRequest), 'answer');
  await listener.close();
  silent.destroy();
});
