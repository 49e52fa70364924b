import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';

const scripts: ReadonlyArray<readonly [script: string, command: string, option: string]> = [
  ['build/build.ts', 'npm run build', '--images'],
  ['build/release.ts', 'npm run release', '--signing-key FILE'],
  ['build/check.ts', 'npm run check', '--only NAMES'],
  ['build/generated/generate.ts', 'npm run generate', '--check'],
  ['bench/run.ts', 'npm run bench', '--json FILE'],
  ['test/run.ts', 'npm test', '--tier NAMES'],
];
for (const [script, command, option] of scripts) {
  await t.test(`${command}: help and an unknown option end before anything is done`, (t) => {
    t.match(run(script, '--help'), { status: 0, stderr: '', stdout: new RegExp(`^${command} \\[-- [^]*${option}`) });
    t.match(run(script, '--bogus'), {
      status: 2,
      stdout: '',
      stderr: new RegExp(`^${command}: Unknown option '--bogus'.*\nhint: ${command} -- --help\n$`),
    });
    t.end();
  });
}

await t.test('a bench and a check that do not exist', (t) => {
  t.match(run('bench/run.ts', 'bogus'), { status: 2, stderr: /name a bench: start, credential-provider, / });
  t.match(run('build/check.ts', '--only', 'bogus'), {
    status: 2,
    stderr: /--only names bogus, and there are format, /,
  });
  t.end();
});

function run(script: string, ...args: readonly string[]) {
  // tap gives every process that a test starts variables of its own.
  const { NODE_OPTIONS: _dropped, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectDirectory, script), ...args], {
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}
