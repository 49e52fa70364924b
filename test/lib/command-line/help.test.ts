import t from 'tap';
import { helpText } from '../../../lib/command-line/help.ts';
import { exampleProgram } from './example-program.ts';

await t.test('of a program: its commands and its options', (t) => {
  const text = helpText(exampleProgram);
  t.match(text, /^Show how it is done\.\n\nUsage: polycloud-example \[OPTION\]…\n {7}polycloud-example COMMAND \[OP/);
  t.match(text, /^Commands:\n {2}explain NODE {14}show why\n {2}config lint PATH… {9}check files\n {2}config print /m);
  t.match(text, /^ {2}completion bash\|zsh\|fish {2}print a script/m);
  t.match(text, /^Options:\n {2}--config FILE {4}the user's settings\n/m);
  t.match(text, /^ {2}-v, --v LEVEL {4}what to log/m);
  t.match(text, /^ {2}-h, --help {7}print help/m);
  t.notMatch(text, /--pods|--json/, 'options of commands are in their own help');
  t.end();
});

await t.test('of a command: its options, those of the program that it uses, and those of all programs', (t) => {
  const text = helpText(exampleProgram, 'explain');
  t.match(
    text,
    /^Show why\.\n\nUsage: polycloud-example explain NODE \[OPTION\]…\n\nOptions:\n {2}-o, --output FORMAT {2}/,
  );
  t.match(
    text,
    /^ {2}--json {15}the same as -o json\n {2}--cloud NAME {9}which cloud: one of them\n {2}-v, --v LEVEL/m,
  );
  t.notMatch(text, /--dry-run|--config/);
  t.match(helpText(exampleProgram, 'version'), /^Print version, .*\n\nUsage: polycloud-example version \[OPTION\]…\n/);
  t.end();
});

await t.test('of the first word of several commands', (t) => {
  t.equal(
    helpText(exampleProgram, 'config'),
    [
      'Usage: polycloud-example config lint PATH… [OPTION]…',
      '       polycloud-example config print [OPTION]…',
      '',
      'Commands:',
      '  config lint PATH…  check files',
      '  config print       print one',
      '',
    ].join('\n'),
  );
  t.end();
});
