import t from 'tap';
import type { CommandLine } from '../../../lib/command-line/command-line.ts';
import { parseCommandLine } from '../../../lib/command-line/command-line.ts';

const program = {
  name: 'polycloud-example',
  summary: 'Show how it is done.',
  options: [
    { flag: '--config', value: 'FILE', description: 'settings' },
    { flag: '--cloud', value: 'NAME', description: 'which cloud' },
  ],
};

await t.test('options and their values', (t) => {
  t.strictSame(parse([]), { kind: 'run', options: {}, verbosity: 0 });
  t.strictSame(parse(['--config', 'a', '-v', '1']), { kind: 'run', options: { '--config': 'a' }, verbosity: 1 });
  t.strictSame(parse(['--config=a=b', '-v=2']), { kind: 'run', options: { '--config': 'a=b' }, verbosity: 2 });
  t.strictSame(parse(['--config', '--version']), { kind: 'run', options: { '--config': '--version' }, verbosity: 0 });
  t.end();
});

await t.test('requests that every program answers in the same way', (t) => {
  const requests: ReadonlyArray<readonly [args: readonly string[], request: object]> = [
    [['--cloud', 'aws', '--version', 'rest'], { kind: 'version', asJson: false }],
    [['version'], { kind: 'version', asJson: false }],
    [['version', '-o', 'json'], { kind: 'version', asJson: true }],
    [['version', '--output=json'], { kind: 'version', asJson: true }],
    [['version', '--json'], { kind: 'version', asJson: true }],
    [['--help', 'rest'], { kind: 'help' }],
    [['--cloud', 'aws', '-h'], { kind: 'help' }],
    [['help'], { kind: 'help' }],
    [['help', 'version'], { kind: 'help', topic: 'version' }],
    [['completion', '--help'], { kind: 'help', topic: 'completion' }],
    [['completion', 'fish'], { kind: 'completion', shell: 'fish' }],
  ];
  for (const [args, request] of requests) t.strictSame(parse(args), request, args.join(' '));
  t.end();
});

const wrongUsages: readonly { readonly args: readonly string[]; readonly reason: string }[] = [
  { args: ['--bogus'], reason: 'unknown argument "--bogus"' },
  { args: ['config'], reason: 'unknown argument "config"' },
  { args: [''], reason: 'unknown argument ""' },
  { args: ['--conf=x'], reason: 'unknown argument "--conf"' },
  { args: ['--version=1'], reason: 'unknown argument "--version"' },
  { args: ['-h=1'], reason: 'unknown argument "-h"' },
  { args: ['__proto__'], reason: 'unknown argument "__proto__"' },
  { args: ['two\nlines'], reason: 'unknown argument "two\\nlines"' },
  { args: ['x'.repeat(1_000)], reason: `unknown argument "${'x'.repeat(80)}…"` },
  { args: ['--config'], reason: '--config needs a value, FILE' },
  { args: ['--config='], reason: '--config needs a value, FILE' },
  { args: ['--config', ''], reason: '--config needs a value, FILE' },
  { args: ['--config', 'a', '--config', 'b'], reason: '--config is given more than once' },
  { args: ['-v', 'loud'], reason: '-v needs a whole number, got "loud"' },
  { args: ['-v', '-1'], reason: '-v needs a whole number, got "-1"' },
  { args: ['-v', '1', '--v=1'], reason: '-v is given more than once' },
];

for (const { args, reason } of wrongUsages) {
  await t.test(`wrong usage: ${reason}`, (t) => {
    t.match(parse(args), { kind: 'wrong-usage', reason, topic: undefined });
    t.end();
  });
}

const controller = {
  name: 'polycloud-example',
  summary: 'Show how it is done.',
  options: [
    { flag: '--config', value: 'FILE', description: 'settings' },
    { flag: '--dry-run', description: 'only say it' },
  ],
  commands: [
    {
      name: 'explain',
      operand: 'NODE',
      description: 'say why',
      options: [{ flag: '--json', description: 'as JSON' }],
    },
    { name: 'status', description: 'say how', options: [] },
    { name: 'config lint', operand: 'PATH…', description: 'check files', options: [] },
  ],
};

const understood: readonly { readonly args: readonly string[]; readonly options: object; readonly command?: object }[] =
  [
    { args: [], options: {} },
    { args: ['--dry-run'], options: { '--dry-run': 'true' } },
    { args: ['--dry-run=true'], options: { '--dry-run': 'true' } },
    { args: ['--dry-run=1'], options: { '--dry-run': 'true' } },
    { args: ['--dry-run=false'], options: { '--dry-run': 'false' } },
    { args: ['--dry-run=F', '--config', 'a'], options: { '--dry-run': 'false', '--config': 'a' } },
    { args: ['explain', 'a'], options: {}, command: { name: 'explain', operands: ['a'] } },
    { args: ['explain', 'a', '--json'], options: { '--json': 'true' }, command: { name: 'explain', operands: ['a'] } },
    {
      args: ['--json', '--config', 'b', 'explain', '--dry-run', 'explain'],
      options: { '--json': 'true', '--config': 'b', '--dry-run': 'true' },
      command: { name: 'explain', operands: ['explain'] },
    },
    { args: ['status'], options: {}, command: { name: 'status', operands: [] } },
    {
      args: ['config', 'lint', 'a', '--dry-run', 'b'],
      options: { '--dry-run': 'true' },
      command: { name: 'config lint', operands: ['a', 'b'] },
    },
  ];

for (const { args, options, command } of understood) {
  await t.test(`understood: ${args.join(' ')}`, (t) => {
    const line = { kind: 'run', ...(command !== undefined && { command }), options, verbosity: 0 };
    t.strictSame(parseCommandLine(controller, args), line);
    t.end();
  });
}

const notUnderstood: readonly { readonly args: readonly string[]; readonly reason: string }[] = [
  { args: ['--dry-run', 'false'], reason: 'unknown argument "false"' },
  { args: ['--dry-run=maybe'], reason: '--dry-run needs a value, true or false' },
  { args: ['--dry-run='], reason: '--dry-run needs a value, true or false' },
  { args: ['--dry-run', '--dry-run=false'], reason: '--dry-run is given more than once' },
  { args: ['explain'], reason: 'explain needs NODE' },
  { args: ['explain', ''], reason: 'unknown argument ""' },
  { args: ['explain', '--bogus'], reason: 'unknown argument "--bogus"' },
  { args: ['explain', 'a', 'b'], reason: 'unknown argument "b"' },
  { args: ['status', 'a'], reason: 'unknown argument "a"' },
  { args: ['status', '--json'], reason: '--json belongs to another command' },
  { args: ['--json'], reason: '--json belongs to another command' },
  { args: ['config', 'lnt'], reason: 'unknown argument "lnt"' },
  { args: ['help', 'explian'], reason: 'unknown argument "explian"' },
  { args: ['help', 'explain', 'a', 'b'], reason: 'unknown argument "b"' },
  { args: ['completion'], reason: 'completion needs bash|zsh|fish' },
  { args: ['completion', 'tcsh'], reason: 'completion needs one of bash, zsh, fish' },
  { args: ['version', '-o', 'yaml'], reason: '-o needs one of text, json' },
  { args: ['config', 'lint'], reason: 'config lint needs PATH…' },
  { args: ['lint', 'a'], reason: 'unknown argument "lint"' },
  { args: ['constructor'], reason: 'unknown argument "constructor"' },
];

for (const { args, reason } of notUnderstood) {
  await t.test(`wrong usage of a program with commands: ${args.join(' ')}`, (t) => {
    t.match(parseCommandLine(controller, args), { kind: 'wrong-usage', reason });
    t.end();
  });
}

await t.test('the first word of a command alone, and help of it', (t) => {
  const reason = 'config needs a command';
  const incomplete = { kind: 'wrong-usage', reason, topic: 'config', isIncomplete: true };
  t.strictSame(parseCommandLine(controller, ['config']), incomplete);
  t.strictSame(parseCommandLine(controller, ['config', '--dry-run']), incomplete);
  for (const args of [
    ['config', '--help'],
    ['config', '-h'],
    ['help', 'config'],
  ]) {
    t.strictSame(parseCommandLine(controller, args), { kind: 'help', topic: 'config' });
  }
  for (const args of [
    ['config', 'lint', '--help'],
    ['help', 'config', 'lint'],
    ['config', 'lint', 'a', '-h'],
  ]) {
    t.strictSame(parseCommandLine(controller, args), { kind: 'help', topic: 'config lint' });
  }
  t.end();
});

await t.test('the choices of an option are those of its command', (t) => {
  const option = (choice: string): object => ({ flag: '-o', value: 'FORMAT', choices: [choice], description: 'as' });
  const commands = ['a', 'b'].map((name) => ({ name, description: 'do', options: [option(name)] })) as never;
  const two = { name: 'polycloud-example', summary: 'Do it.', options: [], commands };
  t.match(parseCommandLine(two, ['b', '-o', 'b']), { kind: 'run', options: { '-o': 'b' } });
  const reason = '-o needs one of b';
  t.strictSame(parseCommandLine(two, ['b', '-o', 'a']), { kind: 'wrong-usage', reason, topic: 'b' });
  t.end();
});

function parse(args: readonly string[]): CommandLine {
  return parseCommandLine(program, args);
}
