import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { logWatchTrouble } from '../../../lib/log/watch-trouble.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { logInto } from '../../support/logs.ts';

await t.test('that Nodes cannot be watched is said once, and with -v 1 each time', (t) => {
  const down = new Failure('unavailable', 'it is down', { remedy: 'wait' });
  const written = [0, 1].map((verbosity) => {
    const said: string[] = [];
    const watch = logWatchTrouble(
      logInto((line) => void said.push(line), verbosity),
      createFakeClock(0),
    );
    watch.heard();
    watch.trouble(down);
    watch.trouble(down);
    watch.heard();
    watch.heard();
    return said;
  });
  const fields = 'err="it is down" hint="wait"';
  const [fails, again] = [`Nodes cannot be watched ${fields}`, 'Nodes are watched again'];
  t.strictSame(written, [
    [fails, again],
    [fails, `Nodes cannot be watched yet ${fields}`, again],
  ]);
  t.end();
});
