import t from 'tap';
import { evaluateGates } from '../../../bench/harness/gate.ts';
import { metricsOf } from '../../../bench/harness/measure.ts';
import { formatMeasured, formatGateResults } from '../../../bench/harness/report.ts';

const bare = { name: 'bare', wallMs: { p50: 10, p95: 12 } };
const ours = {
  name: 'ours',
  wallMs: { p50: 25, p95: 30 },
  cpuMs: { p50: 20, p95: 21 },
  rssAnonKb: { p50: 2048, p95: 4096 },
};

function p50Of(variant: string, metric: string): number | undefined {
  return metricsOf(variant === 'ours' ? ours : bare)[metric]?.p50;
}

await t.test('a gate holds the p50, or a ratio of two, against a bar', (t) => {
  const ratio = { variant: 'ours', metric: 'wallMs', dividedBy: 'bare' };
  t.match(evaluateGates([{ ...ratio, atMost: 2.5 }], p50Of), [{ value: 2.5, met: true }]);
  t.match(evaluateGates([{ ...ratio, atMost: 2.4 }], p50Of), [{ value: 2.5, met: false }]);
  t.match(evaluateGates([{ variant: 'ours', metric: 'rssAnonKb', atMost: 2047 }], p50Of), [
    { value: 2048, met: false },
  ]);
  t.end();
});

await t.test('a gate about what was not measured is an error', (t) => {
  const message = 'a gate asks for rssAnonKb of bare, which was not measured';
  t.throws(() => evaluateGates([{ variant: 'bare', metric: 'rssAnonKb', atMost: 1 }], p50Of), { message });
  t.end();
});

await t.test('a bar of nothing is met by nothing only', (t) => {
  const gate = { variant: 'ours', metric: 'writes', atMost: 0 };
  t.match(
    evaluateGates([gate], () => 0),
    [{ met: true }],
  );
  t.match(
    evaluateGates([gate], () => 0.1),
    [{ met: false }],
  );
  t.match(
    evaluateGates([gate], () => Number.NaN),
    [{ met: false }],
    'what is no number has met nothing',
  );
  t.end();
});

await t.test('the report', (t) => {
  t.strictSame(formatMeasured([bare, ours], 'bare').split('\n'), [
    '      wall ms p50   p95  ÷ bare  cpu ms p50   p95  RssAnon MB',
    'bare         10.0  12.0    1.00                              ',
    'ours         25.0  30.0    2.50        20.0  21.0         2.0',
    '',
  ]);
  const verdicts = evaluateGates([{ variant: 'ours', metric: 'wallMs', dividedBy: 'bare', atMost: 2 }], p50Of);
  t.equal(formatGateResults(verdicts), 'MISSED ours, wallMs ÷ bare: 2.50, at most 2\n');
  t.end();
});
