import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';

const directory = t.testdir();
const script = join(directory, 'read.mjs');
const readInput = join(projectDirectory, 'credential-provider/read-input.ts');
await writeFile(
  script,
  `import { readInput } from '${readInput}';
  process.stderr.write('reading');
  const said = await readInput().then((input) => 'all ' + input.length + ' ' + input.slice(0, 9), (error) => error.message);
  process.stdout.write(said, () => process.exit());`,
);
const unreadable = 'the request cannot be read: standard input';
const inFile = join(directory, 'input');
await writeFile(inFile, 'first second');

/** A kind of standard input, as a shell command, and the output of the program. */
const ways = [
  ['a file', `PROGRAM < ${inFile}`, 'all 12 first sec'],
  ['the rest of a file', `exec < ${inFile}; dd bs=6 count=1 of=/dev/null 2> /dev/null; PROGRAM`, 'all 6 second'],
  ['a pipe whose writer is done', "printf 'first second' | PROGRAM", 'all 12 first sec'],
  ['nothing at all', 'PROGRAM < /dev/null', 'all 0 '],
  ['too much in a pipe', 'head -c 1000001 /dev/zero | PROGRAM', `${unreadable} is larger than 1 MB`],
] as const;

for (const [way, command, said] of ways) {
  await t.test(way, async (t) => {
    t.equal(await text(start(command).stdout), said);
  });
}

for (const [way, command] of [
  ['a pipe that is filled later', 'cat | PROGRAM'],
  ['a socket', 'exec PROGRAM'],
] as const) {
  await t.test(way, async (t) => {
    const child = start(command);
    const output = text(child.stdout);
    child.stdin.write('first ');
    child.stderr.once('data', () => child.stdin.end('second'));
    t.equal(await output, 'all 12 first sec');
  });
}

function start(command: string) {
  return spawn('/bin/sh', ['-c', command.replace('PROGRAM', `"${process.execPath}" "${script}"`)], { cwd: directory });
}
