import t from 'tap';
import { nearestName } from '../../lib/near-miss.ts';

const names = [
  'explain',
  'config lint',
  'config print',
  'help',
  'version',
  '--config',
  '--help',
  '--dry-run',
  '--pods',
];

const guesses: ReadonlyArray<readonly [written: string, guess: string | undefined]> = [
  ['explan', 'explain'],
  ['epxlain', 'explain'],
  ['Explain', 'explain'],
  ['config lnt', 'config lint'],
  ['conifg print', 'config print'],
  ['verson', 'version'],
  ['hlep', 'help'],
  ['--confg', '--config'],
  ['--hepl', '--help'],
  ['--dry-rum', '--dry-run'],
  ['-config', '--config'],
  ['--pod', '--pods'],
  ['explanation', undefined],
  ['status', undefined],
  ['--bogus', undefined],
  ['-x', undefined],
  ['', undefined],
  ['__proto__', undefined],
  ['explain'.repeat(1_000), undefined],
];
for (const [written, guess] of guesses) {
  await t.test(`${written.slice(0, 20)}: ${guess ?? 'no guess'}`, (t) => {
    t.equal(nearestName(written, names), guess);
    t.end();
  });
}
