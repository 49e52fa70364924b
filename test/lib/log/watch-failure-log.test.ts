import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { createWatchFailureLog } from '../../../lib/log/watch-failure-log.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { logInto } from '../../support/logs.ts';

await t.test('a failing watch is logged once, and each time with -v 1', (t) => {
  const down = new Failure('unavailable', 'it is down', { remedy: 'wait' });
  const written = [0, 1].map((verbosity) => {
    const said: string[] = [];
    const watch = createWatchFailureLog(
      logInto((line) => void said.push(line), verbosity),
      createFakeClock(0),
    );
    watch.recovered();
    watch.failed(down);
    watch.failed(down);
    watch.recovered();
    watch.recovered();
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
