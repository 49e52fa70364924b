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

await t.test('--version is one line: name, version, commit, Node version', (t) => {
  const answer = parse(['--cloud', 'aws', '--version', 'rest']);
  t.match(answer, { kind: 'print', text: /^polycloud-example \S+ commit \S+ Node \d+\.\d+\.\d+\n$/ });
  t.end();
});

await t.test('--help is generated from the description', (t) => {
  const answer = parse(['--help']);
  const text = answer.kind === 'print' ? answer.text : '';
  t.match(text, /^Show how it is done\.\n\nUsage: polycloud-example \[OPTION\]…\n\n/);
  t.match(text, /^ {2}--config FILE {2}settings$/m);
  t.match(text, /^ {2}--cloud NAME {3}which cloud$/m);
  t.match(text, /^ {2}-v LEVEL {7}what to log/m);
  t.end();
});

const wrongUsages: readonly { readonly args: readonly string[]; readonly reason: string }[] = [
  { args: ['--bogus'], reason: 'unknown argument "--bogus"' },
  { args: ['config'], reason: 'unknown argument "config"' },
  { args: [''], reason: 'unknown argument ""' },
  { args: ['--conf=x'], reason: 'unknown argument "--conf=x"' },
  { args: ['--version=1'], reason: 'unknown argument "--version=1"' },
  { args: ['__proto__'], reason: 'unknown argument "__proto__"' },
  { args: ['two\nlines'], reason: 'unknown argument "two\\nlines"' },
  { args: ['x'.repeat(1_000)], reason: `unknown argument "${'x'.repeat(80)}…"` },
  { args: ['--config'], reason: '--config needs a value, FILE' },
  { args: ['--config='], reason: '--config needs a value, FILE' },
  { args: ['--config', ''], reason: '--config needs a value, FILE' },
  { args: ['--config', 'a', '--config', 'b'], reason: '--config is given more than once' },
  { args: ['-v', 'loud'], reason: '-v needs a whole number, got "loud"' },
  { args: ['-v', '-1'], reason: '-v needs a whole number, got "-1"' },
];

for (const { args, reason } of wrongUsages) {
  await t.test(`wrong usage: ${reason}`, (t) => {
    const line = `polycloud-example: ${reason}; hint: see polycloud-example --help`;
    t.strictSame(parse(args), { kind: 'wrong-usage', line });
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
  { args: ['config'], reason: 'unknown argument "config"' },
  { args: ['config', 'lint'], reason: 'config lint needs PATH…' },
  { args: ['lint', 'a'], reason: 'unknown argument "lint"' },
  { args: ['constructor'], reason: 'unknown argument "constructor"' },
];

for (const { args, reason } of notUnderstood) {
  await t.test(`wrong usage of a program with commands: ${args.join(' ')}`, (t) => {
    const line = `polycloud-example: ${reason}; hint: see polycloud-example --help`;
    t.strictSame(parseCommandLine(controller, args), { kind: 'wrong-usage', line });
    t.end();
  });
}

await t.test('--help lists the commands, their options, and switches without a value', (t) => {
  const answer = parseCommandLine(controller, ['explain', '--help']);
  const text = answer.kind === 'print' ? answer.text : '';
  t.match(text, /^Usage: polycloud-example \[OPTION\]…\n {7}polycloud-example explain NODE \[OPTION\]…\n/m);
  t.match(text, /^ {2}explain NODE {7}say why\n {2}status {13}say how\n {2}config lint PATH… {2}check files\n\n/m);
  t.match(text, /^ {2}--dry-run {10}only say it$/m);
  t.match(text, /^ {2}--json {13}as JSON \(with explain\)$/m);
  t.end();
});

function parse(args: readonly string[]): CommandLine {
  return parseCommandLine(program, args);
}
