import t from 'tap';
import { flagOf } from '../../../lib/kubelet-config/flags.ts';

await t.test('the value of a flag; the last one counts, and a name that only begins the same does not', (t) => {
  t.equal(flagOf(['--config', 'x'], '--config'), 'x');
  t.equal(flagOf(['--config=x'], '--config'), 'x');
  t.equal(flagOf(['--config=x', '--config', 'y'], '--config'), 'y');
  t.equal(flagOf(['--configs', 'x'], '--config'), undefined);
  t.equal(flagOf(['--config'], '--config'), undefined);
  t.end();
});
