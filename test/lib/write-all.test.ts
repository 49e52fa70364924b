import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeAll } from '../../lib/write-all.ts';

await t.test('everything is written before it returns', (t) => {
  const path = join(t.testdir({}), 'file');
  const descriptor = openSync(path, 'w');
  writeAll(descriptor, 'héllo\n');
  writeAll(descriptor, '');
  t.equal(readFileSync(path, 'utf8'), 'héllo\n');
  closeSync(descriptor);
  t.throws(() => writeAll(descriptor, 'x'), { code: 'EBADF' });
  t.end();
});

await t.test(
  'more than a pipe holds arrives whole, though its reader is slow and the process ends at once',
  async (t) => {
    const lengthBytes = 3_000_000;
    const module = join(import.meta.dirname, '..', '..', 'lib', 'write-all.ts');
    // Looking at process.stdout makes the pipe non-blocking, as some readers do.
    const script = `import { writeAll } from ${JSON.stringify(module)};
    void process.stdout.writable;
    writeAll(1, 'é'.repeat(${lengthBytes / 2}));
    process.exit(0);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let receivedBytes = 0;
    for await (const part of child.stdout) receivedBytes += (part as Buffer).length;
    t.equal(receivedBytes, lengthBytes);
  },
);
