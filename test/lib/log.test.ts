import t from 'tap';
import { createLog } from '../../lib/log.ts';

for (const { verbosity, expected } of [
  { verbosity: 0, expected: ['said'] },
  { verbosity: 1, expected: ['said', 'step'] },
  { verbosity: 5, expected: ['said', 'step'] },
]) {
  await t.test(`with -v ${verbosity} these are written: ${expected.join(', ')}`, (t) => {
    const written: string[] = [];
    const log = createLog(verbosity, (line) => written.push(line));
    log.say('said');
    log.step('step');
    t.strictSame(written, expected);
    t.end();
  });
}
