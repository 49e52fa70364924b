import t from 'tap';
import type { Log } from '../../../lib/log/log.ts';
import { createDaemonLog, readLogFormat } from '../../../lib/log/open-log.ts';
import { logKeys } from '../../../schemas/log-keys.ts';
import { logLines } from '../../../schemas/log.ts';

interface LogSetup {
  readonly log: Log;
  lines(): readonly Readonly<Record<string, unknown>>[];
}

function open(verbosity: number): LogSetup {
  const written: string[] = [];
  const log = createDaemonLog(
    { format: 'json', verbosity, source: { component: 'test', pid: 1 } },
    { clock: { wallMs: () => 5 }, write: (line) => void written.push(line) },
  );
  return { log, lines: () => written.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) };
}

for (const { verbosity, expected } of [
  { verbosity: 0, expected: ['info', 'error'] },
  { verbosity: 1, expected: ['info', 'error', 'verbose'] },
  { verbosity: 5, expected: ['info', 'error', 'verbose'] },
]) {
  await t.test(`with -v ${verbosity} these are written: ${expected.join(', ')}`, (t) => {
    const { log, lines } = open(verbosity);
    log.info('info');
    log.error('error');
    log.debug('verbose');
    t.strictSame(
      lines().map(({ msg }) => msg),
      expected,
    );
    t.end();
  });
}

await t.test('severity, verbosity and keys are written', (t) => {
  const { log, lines } = open(1);
  log.info('a', { node: 'n' });
  log.error('b', { err: 'e' });
  log.debug('c', { scope: 's' });
  t.strictSame(lines(), [
    { ts: 5, level: 'info', v: 0, msg: 'a', node: 'n' },
    { ts: 5, level: 'error', msg: 'b', err: 'e' },
    { ts: 5, level: 'info', v: 1, msg: 'c', scope: 's' },
  ]);
  t.end();
});

await t.test('a standard line has the message and severity of its description', (t) => {
  const { log, lines } = open(0);
  const fields = {
    program: 'p',
    version: '1',
    commit: 'c',
    nodejs: '24',
    clouds: ['aws'],
    identity: 'i',
    dryRun: false,
  };
  log.standard('starting', fields);
  t.strictSame(lines(), [{ ts: 5, level: 'info', v: 0, msg: 'Starting', ...fields }]);
  t.end();
});

await t.test('no key is one of the JSON format, and no two standard lines have one message', (t) => {
  for (const taken of ['ts', 'level', 'v', 'msg']) t.notOk(taken in logKeys, taken);
  const messages = Object.values(logLines).map(({ message }) => message);
  t.equal(new Set(messages).size, messages.length);
  t.end();
});

await t.test('the default format is text', (t) => {
  t.equal(readLogFormat({}), 'text');
  t.equal(readLogFormat({ '--logging-format': 'json' }), 'json');
  for (const format of ['xml', 'toString', '']) {
    t.throws(() => readLogFormat({ '--logging-format': format }), {
      kind: 'misconfigured',
      message: /--logging-format/,
      remedy: 'give text or json',
    });
  }
  t.end();
});
