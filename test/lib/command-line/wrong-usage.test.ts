import t from 'tap';
import { parseCommandLine } from '../../../lib/command-line/command-line.ts';
import { helpText } from '../../../lib/command-line/help.ts';
import { wrongUsageText } from '../../../lib/command-line/wrong-usage.ts';
import { exampleProgram } from './example-program.ts';

function textFor(...args: readonly string[]): string {
  const parsed = parseCommandLine(exampleProgram, args);
  return parsed.kind === 'wrong-usage' ? wrongUsageText(exampleProgram, parsed) : `it is ${parsed.kind}`;
}

const texts: ReadonlyArray<readonly [args: readonly string[], line: string]> = [
  [['--bogus'], 'unknown argument "--bogus"; hint: see polycloud-example --help'],
  [['explan'], 'unknown argument "explan"; hint: did you mean "explain"? see polycloud-example --help'],
  [['--confg=x'], 'unknown argument "--confg"; hint: did you mean "--config"? see polycloud-example --help'],
  [
    ['config', 'lnt', 'x'],
    'unknown argument "lnt"; hint: did you mean "config lint"? see polycloud-example config --help',
  ],
  [['explain'], 'explain needs NODE; hint: see polycloud-example explain --help'],
  [['explain', '-o', 'x'], '-o needs one of text, json; hint: see polycloud-example explain --help'],
];
for (const [args, line] of texts) {
  await t.test(args.join(' '), (t) => {
    t.equal(textFor(...args), `polycloud-example: ${line}\n`);
    t.end();
  });
}

await t.test('the first word of a command alone is followed by its usage', (t) => {
  const line = 'polycloud-example: config needs a command; hint: see polycloud-example config --help\n';
  t.equal(textFor('config'), `${line}\n${helpText(exampleProgram, 'config')}`);
  t.end();
});
