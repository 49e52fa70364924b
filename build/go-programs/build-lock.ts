import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

export interface LockWait {
  readonly retryAfterMs: number;
  readonly sayEveryMs: number;
  say(line: string): void;
}

/**
 * Only one process at a time does it, others wait for it and say so. A lock whose process has ended counts for nothing.
 * It saves work and protects nothing: two that take it over at the same moment both go on.
 */
export async function withLock<T>(file: string, wait: LockWait, action: () => Promise<T>): Promise<T> {
  await acquire(file, wait);
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function acquire(file: string, { retryAfterMs, sayEveryMs, say }: LockWait): Promise<void> {
  let loggedAtMs = -Infinity;
  for (;;) {
    if (await take(file)) return;
    const holder = await readFile(file, 'utf8').catch(() => '');
    if (!(await isAlive(holder))) {
      await rm(file, { force: true });
      continue;
    }
    if (performance.now() - loggedAtMs >= sayEveryMs) {
      say(`process ${holder.split(' ')[0] ?? ''} is at it already, waiting for it`);
      loggedAtMs = performance.now();
    }
    await setTimeout(retryAfterMs);
  }
}

/** The name appears with its whole content, or not at all. */
async function take(file: string): Promise<boolean> {
  const mine = `${file}.${randomUUID()}`;
  await writeFile(mine, await identityOf(String(process.pid)));
  try {
    await link(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
}

async function isAlive(holder: string): Promise<boolean> {
  return holder !== '' && holder === (await identityOf(holder.split(' ')[0] ?? ''));
}

/** The number and the start: a number alone is given to another process later. */
async function identityOf(pid: string): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name before the last parenthesis may hold anything; the start is the 22nd field, the 20th after it.
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return start === undefined ? '' : `${pid} ${start}`;
}
