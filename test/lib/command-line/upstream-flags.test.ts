import t from 'tap';
import { logUpstreamFlags, refuseUpstreamFlags, upstreamOptions } from '../../../lib/command-line/upstream-flags.ts';
import type { UpstreamFlags } from '../../../lib/command-line/upstream-flags.ts';
import { parseCommandLine } from '../../../lib/command-line/command-line.ts';
import { createLog } from '../../../lib/log/log.ts';

const groups: readonly UpstreamFlags[] = [
  { flags: ['--profiling', '--tags LIST'], why: 'there is none' },
  { flags: ['--routes'], why: 'there are no routes', refused: { unless: ['false'], instead: 'set it to false' } },
  { flags: ['--master URL'], why: 'only the file counts', refused: { instead: 'leave it out' } },
  { flags: ['--paths LIST'], why: 'the paths are fixed', refused: { unless: ['/a', '/b'], instead: 'allow readers' } },
];
const program = {
  name: 'polycloud-example',
  summary: 'Show how it is done.',
  options: [
    { flag: '--cloud', value: 'NAMES', isList: true, description: 'which clouds' },
    { flag: '--period', value: 'DURATION', description: 'how often' },
    { flag: '--elect', description: 'whether' },
  ],
  upstreamOptions: upstreamOptions(groups),
} as const;

const readings: ReadonlyArray<readonly [args: readonly string[], options: Readonly<Record<string, string>>]> = [
  [['--profiling'], { '--profiling': 'true' }],
  [['--profiling=1'], { '--profiling': 'true' }],
  [['--profiling=T', '--elect=f'], { '--profiling': 'true', '--elect': 'false' }],
  [['--profiling=0', '--elect'], { '--profiling': 'false', '--elect': 'true' }],
  [['--tags', 'a=1', '--tags=b=2'], { '--tags': 'a=1,b=2' }],
  [['--cloud=aws', '--cloud', 'static,gcp'], { '--cloud': 'aws,static,gcp' }],
  [['--period=1s', '--period=2s'], { '--period': '2s' }],
  [['--elect', '--elect=false'], { '--elect': 'false' }],
  [['--tags=', '--master=', '--elect'], { '--elect': 'true' }],
];
for (const [args, options] of readings) {
  await t.test(`reads ${args.join(' ')} as Go's programs do`, async (t) => {
    t.strictSame(parseCommandLine(program, args), { kind: 'run', options, verbosity: 0 });
  });
}

for (const args of [['-v2'], ['-v=2'], ['-v', '2'], ['--v=2'], ['--v', '2'], ['-v=1', '--v=2']]) {
  await t.test(`${args.join(' ')} is level 2`, async (t) => {
    t.match(parseCommandLine(program, args), { kind: 'run', verbosity: 2 });
  });
}

for (const args of [
  ['--period='],
  ['--cloud='],
  ['--profiling='],
  ['--pro_filing'],
  ['--profiling=maybe'],
  ['--tags'],
  ['-v2x'],
  ['--gone=1'],
]) {
  await t.test(`${args.join(' ')} is wrong usage`, async (t) => {
    t.match(parseCommandLine(program, args), { kind: 'wrong-usage' });
  });
}

await t.test('a value that does no harm is accepted, in any list of them', async (t) => {
  t.doesNotThrow(() => refuseUpstreamFlags(groups, { '--routes': 'false', '--paths': '/b, /a', '--tags': 'x' }));
});

const refused: ReadonlyArray<readonly [given: Readonly<Record<string, string>>, message: RegExp, remedy: string]> = [
  [{ '--routes': 'true' }, /^--routes is not accepted with this value: there are no routes$/, 'set it to false'],
  [{ '--master': 'false' }, /^--master is not accepted: only the file counts$/, 'leave it out'],
  [{ '--paths': '/a,/metrics' }, /^--paths is not accepted/, 'allow readers'],
];
for (const [given, message, remedy] of refused) {
  await t.test(`refuses ${JSON.stringify(given)}`, async (t) => {
    t.throws(() => refuseUpstreamFlags(groups, given), { kind: 'misconfigured', message, remedy, details: [] });
  });
}

await t.test('names all refused flags at once, without their values', async (t) => {
  t.throws(() => refuseUpstreamFlags(groups, { '--routes': 'true', '--master': 'https://user:secret@host' }), {
    message: /^--routes /,
    details: ['# also: --master is not accepted: only the file counts; hint: leave it out'],
  });
});

await t.test('logs one line for each flag without effect', async (t) => {
  const lines: unknown[] = [];
  const log = createLog(({ message, fields }) => lines.push([message, fields]));
  logUpstreamFlags(groups, { '--period': '1s', '--profiling': 'false', '--routes': 'false' }, log);
  t.strictSame(lines, [
    ['This flag has no effect', { flag: '--profiling', reason: 'there is none' }],
    ['This flag has no effect', { flag: '--routes', reason: 'there are no routes' }],
  ]);
});
