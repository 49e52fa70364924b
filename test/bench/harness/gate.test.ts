import t from 'tap';
import { judge } from '../../../bench/harness/gate.ts';
import { formatReport } from '../../../bench/harness/report.ts';

const measured = [
  { name: 'bare', wallMs: { p50: 10, p95: 12 } },
  { name: 'ours', wallMs: { p50: 25, p95: 30 }, cpuMs: { p50: 20, p95: 21 }, rssAnonKb: { p50: 2048, p95: 4096 } },
];

await t.test('a gate holds the p50, or a ratio of two, against a bar', (t) => {
  const ratio = { variant: 'ours', metric: 'wallMs', dividedBy: 'bare' } as const;
  t.match(judge([{ ...ratio, atMost: 2.5 }], measured), [{ value: 2.5, met: true }]);
  t.match(judge([{ ...ratio, atMost: 2.4 }], measured), [{ value: 2.5, met: false }]);
  t.match(judge([{ variant: 'ours', metric: 'rssAnonKb', atMost: 2047 }], measured), [{ value: 2048, met: false }]);
  t.end();
});

await t.test('a gate about what was not measured is an error', (t) => {
  const message = 'a gate asks for rssAnonKb of bare, which was not measured';
  t.throws(() => judge([{ variant: 'bare', metric: 'rssAnonKb', atMost: 1 }], measured), { message });
  t.end();
});

await t.test('the report', (t) => {
  const verdicts = judge([{ variant: 'ours', metric: 'wallMs', dividedBy: 'bare', atMost: 2 }], measured);
  t.strictSame(formatReport(measured, 'bare', verdicts).split('\n'), [
    '      wall ms p50   p95  ÷ bare  cpu ms p50   p95  RssAnon MB',
    'bare         10.0  12.0    1.00                              ',
    'ours         25.0  30.0    2.50        20.0  21.0         2.0',
    '',
    'MISSED ours, wallMs ÷ bare: 2.50, at most 2',
    '',
  ]);
  t.end();
});
