import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { run } from '../../../build/run.ts';
import { completionScript } from '../../../lib/command-line/completion.ts';
import { shells } from '../../../lib/command-line/shared-options.ts';
import { exampleProgram } from './example-program.ts';

const directory = t.testdir({ 'a file.yaml': '', 'other.json': '' });
writeFileSync(join(directory, 'script'), completionScript(exampleProgram, 'bash'));

/** What a real bash completes. The words are as it splits them: `--flag=value` is three. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const lines = [
    'source ./script',
    '[[ $(complete -p polycloud-example) == *"-F _polycloud_example polycloud-example" ]] || echo not registered',
    'COMP_WORDS=(polycloud-example "$@") COMP_CWORD=$#',
    '_polycloud_example',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ];
  const { code, stdout, stderr } = await run(
    '/usr/bin/env',
    ['-i', 'bash', '--norc', '-c', lines.join('\n'), 'bash', ...words],
    { cwd: directory, stdin: '' },
  );
  t.strictSame({ code, stderr }, { code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

const programOptions = ['--config', '--cloud', '--format', '--dry-run', '--v', '--version', '--help'];
const firstWords = ['explain', 'config', 'help', 'version', 'completion'];

const completions: ReadonlyArray<readonly [words: readonly string[], offered: readonly string[]]> = [
  [[''], [...firstWords, ...programOptions]],
  [['ex'], ['explain']],
  [['--c'], ['--config', '--cloud']],
  [
    ['config', ''],
    ['lint', 'print'],
  ],
  [
    ['config', 'print', '--'],
    ['--pods', '--config', '--cloud', '--format', '--dry-run', '--v', '--version', '--help'],
  ],
  [['config', 'lint', 'o'], ['other.json']],
  [['config', 'lint', 'a'], ['a file.yaml']],
  [['config', 'lint', '--h'], ['--help']],
  [['--config', 'a'], ['a file.yaml']],
  [['--config', '=', 'o'], ['other.json']],
  [['--cloud', ''], []],
  [
    ['--cloud', 'explain', 'c'],
    ['config', 'completion'],
  ],
  [
    ['--cloud', '=', 'explain', 'c'],
    ['config', 'completion'],
  ],
  [
    ['--format', ''],
    ['text', 'json'],
  ],
  [
    ['--format', '='],
    ['text', 'json'],
  ],
  [['explain', 'node', '-o', 'j'], ['json']],
  [
    ['explain', '--output', ''],
    ['text', 'json'],
  ],
  [['completion', 'z'], ['zsh']],
  [['help', 'conf'], ['config']],
];
for (const [words, offered] of completions) {
  await t.test(`bash completes ${words.join(' ')}|`, async (t) => {
    t.strictSame(await complete(...words), offered);
  });
}

await t.test('each script has each command and each flag in it', (t) => {
  for (const shell of shells) {
    const script = completionScript(exampleProgram, shell);
    for (const text of [...firstWords, ...programOptions, 'lint', 'print', '--pods', '--output']) {
      t.ok(script.includes(text), `${shell}: ${text}`);
    }
  }
  t.end();
});
