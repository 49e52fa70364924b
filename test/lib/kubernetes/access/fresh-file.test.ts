import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { freshFile } from '../../../../lib/kubernetes/access/fresh-file.ts';

await t.test('what is written is read, and so is what is renamed into place', (t) => {
  const directory = t.testdir({ token: 'first' });
  const file = freshFile(`${directory}/token`);
  t.equal(file.read(), 'first');
  t.equal(file.read(), 'first');
  writeFileSync(`${directory}/token`, 'second, longer');
  t.equal(file.read(), 'second, longer');
  writeFileSync(`${directory}/next`, 'third');
  renameSync(`${directory}/next`, `${directory}/token`);
  t.equal(file.read(), 'third');
  t.end();
});

await t.test('a volume that the kubelet swaps by its link', (t) => {
  const directory = t.testdir({ '..1': { token: 'one' }, '..2': { token: 'two' } });
  symlinkSync('..1', `${directory}/..data`);
  symlinkSync('..data/token', `${directory}/token`);
  const file = freshFile(`${directory}/token`);
  t.equal(file.read(), 'one');
  symlinkSync('..2', `${directory}/..data_tmp`);
  renameSync(`${directory}/..data_tmp`, `${directory}/..data`);
  t.equal(file.read(), 'two');
  t.end();
});

await t.test('missing or empty for a moment: the last good content', (t) => {
  const directory = t.testdir({ token: 'good' });
  const file = freshFile(`${directory}/token`);
  t.equal(file.read(), 'good');
  writeFileSync(`${directory}/token`, '');
  t.equal(file.read(), 'good');
  rmSync(`${directory}/token`);
  t.equal(file.read(), 'good');
  mkdirSync(`${directory}/token`);
  t.equal(file.read(), 'good');
  rmSync(`${directory}/token`, { recursive: true });
  writeFileSync(`${directory}/token`, 'new');
  t.equal(file.read(), 'new');
  t.end();
});

await t.test('never there: a failure that names it, until it is', (t) => {
  const directory = t.testdir({ empty: '' });
  const missing = freshFile(`${directory}/token`);
  t.throws(() => missing.read(), { kind: 'misconfigured', message: /token cannot be read \(ENOENT\)/ });
  t.throws(() => freshFile(`${directory}/empty`).read(), { message: /cannot be read \(it is empty\)/ });
  t.throws(() => freshFile(directory).read(), { message: /cannot be read \(EISDIR\)/ });
  writeFileSync(`${directory}/token`, 'here');
  t.equal(missing.read(), 'here');
  t.end();
});
