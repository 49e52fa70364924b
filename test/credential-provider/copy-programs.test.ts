import { chmodSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { copyPrograms } from '../../credential-provider/copy-programs.ts';

const name = 'polycloud-credential-provider';
const front = `${name}-front`;

await t.test('both programs are copied, and can be started', async (t) => {
  const directory = t.testdir({ image: { [name]: 'full', [front]: 'front' }, target: {} });
  const target = join(directory, 'target');
  const copies = await copyPrograms(join(directory, 'image', name), target);
  t.strictSame(copies, [join(target, name), join(target, front)]);
  t.equal(readFileSync(join(target, name), 'utf8'), 'full');
  t.equal(readFileSync(join(target, front), 'utf8'), 'front');
  for (const copy of copies) t.equal(statSync(copy).mode & 0o777, 0o755);
});

await t.test('an older copy is replaced by a rename, also if a copier was killed', async (t) => {
  const directory = t.testdir({
    image: { [name]: 'new', [front]: 'new' },
    target: { [name]: 'old', [`${name}.unfinished`]: 'half' },
  });
  const target = join(directory, 'target');
  // A program that runs cannot be opened for writing.
  chmodSync(join(target, name), 0o555);
  const before = statSync(join(target, name)).ino;
  await copyPrograms(join(directory, 'image', name), target);
  t.strictSame(readdirSync(target).toSorted(), [name, front]);
  t.equal(readFileSync(join(target, name), 'utf8'), 'new');
  t.not(statSync(join(target, name)).ino, before, 'whoever runs the old file keeps it');
});

await t.test('a wrong target or source is named with a hint, and nothing is left there', async (t) => {
  const directory = t.testdir({
    image: { [name]: 'full', [front]: 'front' },
    alone: { [name]: 'full' },
    target: {},
    blocked: { [name]: { file: '' } },
  });
  const inside = (path: string): string => join(directory, path);
  const program = inside(`image/${name}`);
  await t.rejects(copyPrograms(program, inside('none')), {
    message: `${inside('none')} is not a directory`,
    remedy: 'mount a volume there',
  });
  await t.rejects(copyPrograms(program, program), { message: `${program} is not a directory` });
  await t.rejects(copyPrograms(inside(`alone/${name}`), inside('target')), { message: /-front is not there$/ });
  t.strictSame(readdirSync(inside('target')), []);
  // A directory of that name is in the way.
  await t.rejects(copyPrograms(program, inside('blocked')), {
    message: /cannot be written \(EISDIR\)$/,
    remedy: 'use a directory that this user can write to',
  });
  t.strictSame(readdirSync(inside('blocked')), [name]);
});
