import t from 'tap';
import { nearMiss } from '../../../lib/command-line/near-miss.ts';
import { exampleProgram } from './example-program.ts';

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
  ['-cloud', '--cloud'],
  ['--pod', '--pods'],
  ['--ouput', '--output'],
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
    t.equal(nearMiss(exampleProgram, written), guess);
    t.end();
  });
}
