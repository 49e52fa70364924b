import t from 'tap';
import { sumTallies, tallyFile } from './tally.ts';
import type { Tally } from './tally.ts';
import { createTapReader } from './tap-tree.ts';

await t.test('tests are counted, not their assertions', async (t) => {
  const { passed, failures } = tallyOf(`
    # Subtest: one
        ok 1 - a
        ok 2 - b
        1..2
    ok 1 - one # time=1ms
    # Subtest: outer
        # Subtest: two
            ok 1 - a
        ok 1 - two
        # Subtest: three
            not ok 1 - a
              ---
              diff: |
                ok 9 - this is no result
              ...
        not ok 2 - three
    not ok 2 - outer
not ok 1 - test/a.test.ts # time=3ms
`);
  t.equal(passed, 2);
  t.same(failures, [{ names: ['test/a.test.ts', 'outer', 'three'], reason: 'a\ndiff: |\n  ok 9 - this is no result' }]);
});

await t.test('a file without blocks is one test', async (t) => {
  t.match(tallyOf('    ok 1 - a\n    ok 2 - b\nok 1 - test/a.test.ts'), { passed: 1, failures: [], skips: [] });
});

await t.test('a file that crashes after its tests passed has failed', async (t) => {
  const { passed, failures } = tallyOf(
    '        ok 1 - a\n    ok 1 - one\nnot ok 1 - test/a.test.ts\n  ---\n  exitCode: 3\n  ...',
  );
  t.equal(passed, 1);
  t.same(failures, [{ names: ['test/a.test.ts'], reason: 'exitCode: 3' }]);
});

await t.test('a test that is killed inside its diagnostics takes no other result with it', async (t) => {
  const { passed, failures } = tallyOf(
    '    not ok 1 - a\n      ---\n      at: x\nnot ok 1 - a.test.ts\n    ok 1 - a\nok 2 - b.test.ts',
  );
  t.equal(passed, 1);
  t.equal(failures.length, 1);
});

await t.test('skips are listed with their reason and count as nothing', async (t) => {
  const { passed, failures, skips } = tallyOf(
    '    ok 1 - a # SKIP needs root\nok 1 - a.test.ts\nok 2 - b.test.ts # SKIP needs Debian',
  );
  t.equal(passed + failures.length, 0);
  t.same(
    skips.map(({ reason }) => reason),
    ['needs root', 'needs Debian'],
  );
});

await t.test('a file without a test, and a test for later, are failures', async (t) => {
  t.equal(tallyOf('ok 1 - a.test.ts # SKIP no tests found').failures.length, 1);
  t.equal(tallyOf('    ok 1 - a # TODO\nok 1 - a.test.ts').failures.length, 1);
});

await t.test('a hash in a name is not a directive', async (t) => {
  t.same(tallyOf('    not ok 1 - x\nnot ok 1 - a \\# SKIP b').failures, [{ names: ['a # SKIP b'], reason: 'x\n' }]);
});

function tallyOf(tap: string): Tally {
  const reader = createTapReader();
  const points = [...tap.split('\n').map((line) => reader.read(line)), reader.end()];
  return sumTallies(points.filter((point) => point !== undefined).map(tallyFile));
}
