import t from 'tap';
import { formatSamples, p50Of, toSamples } from '../../../bench/harness/samples.ts';

const samples = [
  ...toSamples('ours', 'init', { seconds: 3, calls: 1_234 }),
  ...toSamples('ours', 'init', { seconds: 1.25 }),
  ...toSamples('ours', 'init', { seconds: 12.345 }),
  ...toSamples('peer', 'init', { seconds: 149 }),
];

await t.test('a gate looks at the middle one of the rounds', async (t) => {
  t.equal(p50Of(samples, 'ours', 'init: seconds'), 3);
  t.equal(p50Of(samples, 'peer', 'init: calls'), undefined);
});

await t.test('a line for each metric, with the least and the most of several rounds', async (t) => {
  t.strictSame(formatSamples(samples).split('\n'), [
    '                        ours  peer',
    'init: seconds  3 (1.25–12.3)   149',
    'init: calls            1,234      ',
    '',
  ]);
});
