import t from 'tap';
import { runSimulations } from './simulation/run-simulations.ts';

// A second of processor time; a busy machine may take long for that.
t.setTimeout(5 * 60_000);

await t.test(
  'whatever is announced and whatever fails: pods go for a reason and in time, and nothing is left behind',
  (t) => runSimulations(t, 'interruption', 100),
);
