import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startSupervised } from '../../../build/supervised-process.ts';
import type { SupervisedProcess } from '../../../build/supervised-process.ts';
import { sessionOf } from './sessions.ts';
import { waitUntil } from './wait-until.ts';

const soon = { withinMs: 10_000, everyMs: 10 };

await t.test('it is the program itself, with its arguments and nothing on its standard input', async (t) => {
  const directory = t.testdir();
  const script = 'cat; echo "$PPID $0 $1" >&2; echo "$$ $OF_ITS_OWN"; exit 3';
  const process = await start(directory, ['-c', script, 'one word', 'two']);
  await process.ended;
  t.match(readLog(process), `${String(globalThis.process.pid)} one word two`);
  t.match(readLog(process), `${String(process.pid)} value`);
  t.equal(process.ending(), 'ended with exit code 3');
});

await t.test('a log is continued', async (t) => {
  const directory = t.testdir();
  await (
    await start(directory, ['-c', 'echo first'])
  ).ended;
  const second = await start(directory, ['-c', 'echo second']);
  await second.ended;
  t.equal(readLog(second), 'first\nsecond\n');
});

await t.test('once it has ended nothing of it is left, its watchdog neither', async (t) => {
  const directory = t.testdir();
  const process = await start(directory, ['-c', 'read nothing <&-; kill -TERM $$']);
  await process.ended;
  t.equal(process.ending(), 'was ended by SIGTERM');
  await nothingLeft(process.pid);
  process.signal('SIGKILL');
});

await t.test('a missing executable is reported', async (t) => {
  const directory = t.testdir();
  const logFile = join(directory, 'log');
  const process = await startSupervised({ file: join(directory, 'nowhere'), args: [], env: {}, directory, logFile });
  await process.ended;
  t.equal(process.ending(), 'ended with exit code 127');
  t.match(readLog(process), /nowhere: not found/);
});

for (const { how, paused } of [
  { how: 'is killed', paused: false },
  { how: 'is killed while the program is paused', paused: true },
]) {
  await t.test(`it ends when its parent ${how}`, async (t) => {
    const module = fileURLToPath(new URL('../../../build/supervised-process.ts', import.meta.url));
    const directory = t.testdir({
      'parent.ts': `
        import { startSupervised } from ${JSON.stringify(module)};
        const options = { file: 'sh', args: ['-c', 'sleep 600; true'], env: { PATH: process.env.PATH }, directory: '.', logFile: 'log' };
        console.log((await startSupervised(options)).pid);`,
    });
    const parent = spawn(process.execPath, ['parent.ts'], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    if (paused) process.kill(pid, 'SIGSTOP');
    t.not(sessionOf(pid).length, 0, 'it runs');
    parent.kill('SIGKILL');
    await nothingLeft(pid);
    t.pass();
  });
}

function start(directory: string, args: readonly string[]): Promise<SupervisedProcess> {
  const env = { PATH: process.env['PATH'], OF_ITS_OWN: 'value' };
  return startSupervised({ file: 'sh', args, env, directory, logFile: join(directory, 'log') });
}

function readLog({ logFile }: SupervisedProcess): string {
  return readFileSync(logFile, 'utf8');
}

async function nothingLeft(pid: number): Promise<void> {
  await waitUntil({ what: 'the end of all', ...soon }, async () => sessionOf(pid).length === 0 || undefined);
}
