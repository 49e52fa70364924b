import t from 'tap';
import { createLogger } from '../../../lib/log/logger.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { readLogFormat } from '../../../lib/log/open-logger.ts';
import { logKeys, logLines } from '../../../schemas/log.ts';

interface Opened {
  readonly log: Logger;
  lines(): readonly Readonly<Record<string, unknown>>[];
}

function open(verbosity: number): Opened {
  const written: string[] = [];
  const log = createLogger({
    format: 'json',
    verbosity,
    component: 'test',
    pid: 1,
    clock: { wallMs: () => 5 },
    write: (line) => void written.push(line),
  });
  return { log, lines: () => written.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) };
}

for (const { verbosity, expected } of [
  { verbosity: 0, expected: ['info', 'error', 'say'] },
  { verbosity: 1, expected: ['info', 'error', 'level 1', 'say', 'step'] },
  { verbosity: 2, expected: ['info', 'error', 'level 1', 'level 2', 'say', 'step'] },
]) {
  await t.test(`with -v ${verbosity} these are written: ${expected.join(', ')}`, (t) => {
    const { log, lines } = open(verbosity);
    log.info('info');
    log.error('error');
    log.verbose(1, 'level 1');
    log.verbose(2, 'level 2');
    log.say('say');
    log.step('step');
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
  log.verbose(1, 'c', { scope: 's' });
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

await t.test('the format is text unless --logging-format says otherwise', (t) => {
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
