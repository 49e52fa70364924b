import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Removes a file from memory. It needs no root, but no process may run the file, and the file must be on disk. */
export async function evict(file: string): Promise<void> {
  const handle = await open(file, 'r');
  await handle.sync();
  await handle.close();
  await run('/usr/bin/dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
  const { stdout } = await run('/usr/bin/fincore', ['--bytes', '--noheadings', '--output', 'RES', file]);
  if (Number(stdout) !== 0) throw new Error(`${stdout.trim()} bytes of ${file} stay in memory`);
}
