import { symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { realHost } from '../../lib/host.ts';

const neverAborted = new AbortController().signal;
const directory = t.testdir({ text: 'hello\n', empty: '', folder: {} });

await t.test('a file is read, also an empty one', async (t) => {
  t.equal(await realHost.readText(join(directory, 'text')), 'hello\n');
  t.equal(await realHost.readText(join(directory, 'empty')), '');
});

await t.test('a missing file is undefined, also below a file', async (t) => {
  t.equal(await realHost.readText(join(directory, 'missing')), undefined);
  t.equal(await realHost.readText(join(directory, 'missing', 'deeper')), undefined);
  t.equal(await realHost.readText(join(directory, 'text', 'below')), undefined);
});

await t.test('a path that is not a regular file fails at once as misconfigured', async (t) => {
  for (const path of [join(directory, 'folder'), '/dev/zero']) {
    await t.rejects(realHost.readText(path), { kind: 'misconfigured', message: /is not a regular file/ });
  }
});

await t.test('a file that cannot be read is not taken for one that is missing', async (t) => {
  const path = join(directory, 'loop');
  symlinkSync(path, path);
  await t.rejects(realHost.readText(path), { kind: 'misconfigured', message: /cannot be read \(ELOOP\)$/ });
});

await t.test('a file larger than 1 MB is refused, and a million characters are not', async (t) => {
  const path = join(directory, 'large');
  writeFileSync(path, 'x'.repeat(1_000_000));
  t.equal((await realHost.readText(path))?.length, 1_000_000);
  writeFileSync(path, 'x'.repeat(1_000_001));
  await t.rejects(realHost.readText(path), { kind: 'misconfigured', message: /larger than 1 MB$/ });
});

await t.test('a command returns its standard output without its standard error', async (t) => {
  t.equal(await realHost.runCommand('echo out; echo err >&2', neverAborted), 'out\n');
});

await t.test('a command that fails rejects with its exit code', async (t) => {
  await t.rejects(realHost.runCommand('exit 7', neverAborted), { code: 7 });
  await t.rejects(realHost.runCommand('/nonexistent/program', neverAborted), { code: 127 });
});

await t.test('a command that prints more than 1 MB is refused', async (t) => {
  await t.rejects(realHost.runCommand('yes | head -c 1100000', neverAborted), {
    code: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
  });
});

await t.test('a command ends with its signal', async (t) => {
  const controller = new AbortController();
  const running = realHost.runCommand('exec tail -f /dev/null', controller.signal);
  controller.abort();
  await t.rejects(running, { name: 'AbortError' });
});

await t.test('the home directory is that of the user', (t) => {
  t.equal(realHost.homeDirectory, homedir());
  t.end();
});
