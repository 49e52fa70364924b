import t from 'tap';
import { runSimulations } from './simulation/run-simulations.ts';

await t.test(
  'whatever is announced and whatever fails: pods go for a reason and in time, and nothing is left behind',
  (t) => runSimulations(t, 'interruption', 100),
);
