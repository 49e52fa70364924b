import t from 'tap';
import { simulate } from './simulation.ts';

const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] ?? '1') * 20;

await t.test(
  'whatever happens to processes and network, no two may write at once, and one leads in the end',
  async (t) => {
    let terms = 0;
    for (let round = 0; round < rounds; round += 1) {
      const label = `leader election ${round}`;
      const played = await simulate(label, { checksVersions: true });
      t.strictSame(played.violations.slice(0, 3), [], `seed "${label}"`);
      terms += played.terms;
    }
    t.ok(terms > 2 * rounds, `${terms} terms of leading were seen`);
  },
);

await t.test('with a server that does not compare versions, it would be seen', async (t) => {
  const wrongs: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    wrongs.push(...(await simulate(`leader election ${round}`, { checksVersions: false })).violations);
  }
  t.ok(wrongs.some((wrong) => wrong.endsWith('may write')));
});
