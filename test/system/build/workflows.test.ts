import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { findActionlint } from '../../lab/actionlint/find-actionlint.ts';
import { requires } from '../../lab/requires.ts';
import { runFile } from './run-file.ts';

const actionlint = await findActionlint();

await t.test('actionlint finds nothing wrong in the workflows', requires(actionlint), async (t) => {
  const directory = join(projectDirectory, '.github/workflows');
  const files = (await readdir(directory)).map((name) => join(directory, name));
  t.ok(files.length >= 2);
  // Without ShellCheck and pyflakes, so that the result does not depend on the machine.
  const args = ['-no-color', '-shellcheck=', '-pyflakes=', ...files];
  t.strictSame(await runFile(actionlint.programs.actionlint, { args, env: {} }), { code: 0, stdout: '', stderr: '' });
  const broken = join(
    t.testdir({ 'broken.yml': 'on: push\njobs: { a: { runs-on: ubuntu-24.04, step: [] } }\n' }),
    'broken.yml',
  );
  t.match(await runFile(actionlint.programs.actionlint, { args: [...args.slice(0, 3), broken], env: {} }), { code: 1 });
});
