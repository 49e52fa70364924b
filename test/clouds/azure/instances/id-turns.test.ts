import t from 'tap';
import { createIdTurns } from '../../../../clouds/azure/instances/id-turns.ts';

const keys = ['a', 'b', 'c', 'd'];

await t.test('those that have waited longest, and never more than that many', (t) => {
  const turns = createIdTurns(2);
  t.same([...turns.choose(keys)], ['a', 'b']);
  turns.record('a', 'running', 10);
  turns.record('b', 'stopped', 11);
  t.same([...turns.choose(keys)], ['c', 'd']);
  turns.record('c', 'unknown', 12);
  turns.record('d', 'running', 13);
  t.same([...turns.choose(keys)], ['a', 'b']);
  t.end();
});

await t.test('one that was not found has its turn each time, until it is found', (t) => {
  const turns = createIdTurns(1);
  turns.record('d', 'not-found', 10);
  turns.record('c', 'not-found', 10);
  t.same([...turns.choose(keys)].toSorted(), ['a', 'c', 'd']);
  turns.record('c', 'unknown', 11);
  turns.record('d', 'running', 11);
  t.same([...turns.choose(keys)].toSorted(), ['a', 'c']);
  t.end();
});

await t.test('what was not looked up for half an hour is forgotten', (t) => {
  const turns = createIdTurns(1);
  turns.record('a', 'not-found', 0);
  turns.record('b', 'running', 30 * 60_000);
  t.same([...turns.choose(['a', 'c'])], ['a', 'c']);
  turns.record('b', 'running', 30 * 60_000 + 1);
  t.same([...turns.choose(['c', 'a'])], ['c']);
  t.end();
});
