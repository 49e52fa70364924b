import t from 'tap';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { addProcessMetrics } from '../../../lib/metrics/process-metrics.ts';

await t.test('a counter with closed labels starts at 0 for each of them', (t) => {
  const metrics = createMetrics();
  const labels = { operation: ['look', 'delete'], result: ['success', 'error'] } as const;
  const calls = metrics.counter({ name: 'calls_total', help: 'Calls.', labels });
  calls.add({ operation: 'delete', result: 'error' }, 2);
  calls.add({ operation: 'delete', result: 'error' }, 1);
  calls.add({ operation: 'look', result: 'success' }, -5);
  t.equal(
    metrics.text(),
    `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{operation="look",result="success"} 0
calls_total{operation="look",result="error"} 0
calls_total{operation="delete",result="success"} 0
calls_total{operation="delete",result="error"} 3
`,
  );
  t.end();
});

await t.test('without labels; gauges; what is measured when asked', (t) => {
  const metrics = createMetrics();
  metrics.gauge({ name: 'leading', help: 'Leading.', labels: {} }).set({}, 1);
  let nodes = 3;
  const description = { name: 'nodes', help: 'Nodes.', type: 'gauge', labels: { cloud: ['aws'] } } as const;
  metrics.measured(description, () => [[{ cloud: 'aws' }, nodes]]);
  nodes = 4;
  t.match(metrics.text(), /^leading 1\n# HELP nodes Nodes\.\n# TYPE nodes gauge\nnodes\{cloud="aws"\} 4\n$/m);
  t.end();
});

await t.test('free values are bounded, shortened and quoted', (t) => {
  const metrics = createMetrics();
  const breaker = metrics.gauge({ name: 'breaker', help: 'Breakers.', labels: { scope: { atMost: 2 } } });
  breaker.set({ scope: 'a"\\\n' }, 1);
  breaker.set({ scope: 'b'.repeat(1_000) }, 2);
  breaker.set({ scope: 'c' }, 3);
  breaker.set({ scope: 'd' }, 4);
  breaker.set({ scope: 'a"\\\n' }, Number.POSITIVE_INFINITY);
  t.strictSame(metrics.text().split('\n').slice(2), [
    String.raw`breaker{scope="a\"\\\n"} +Inf`,
    `breaker{scope="${'b'.repeat(128)}"} 2`,
    'breaker{scope="other"} 4',
    '',
  ]);
  t.end();
});

await t.test('a histogram counts each value in every bucket above it', (t) => {
  const metrics = createMetrics();
  const delay = metrics.histogram({ name: 'delay_seconds', help: 'Delay.', labels: { kind: ['a'] }, buckets: [1, 4] });
  for (const value of [0.5, 1, 3, 100]) delay.observe({ kind: 'a' }, value);
  t.strictSame(metrics.text().split('\n').slice(2), [
    'delay_seconds_bucket{kind="a",le="1"} 2',
    'delay_seconds_bucket{kind="a",le="4"} 3',
    'delay_seconds_bucket{kind="a",le="+Inf"} 4',
    'delay_seconds_sum{kind="a"} 104.5',
    'delay_seconds_count{kind="a"} 4',
    '',
  ]);
  t.end();
});

await t.test('one name is one metric', (t) => {
  const metrics = createMetrics();
  const description = { name: 'twice', help: '', labels: {} };
  metrics.counter(description);
  t.throws(() => metrics.gauge(description), /twice/);
  t.throws(() => metrics.gauge({ ...description, name: 'with-hyphen' }), /with-hyphen/);
  t.end();
});

await t.test('a process reports its time and memory', (t) => {
  const metrics = createMetrics();
  addProcessMetrics('polycloud-test', metrics);
  t.match(
    metrics.text(),
    /^polycloud_build_info\{program="polycloud-test",version="0.0.0",commit="source",nodejs="24/m,
  );
  t.match(metrics.text(), /^# TYPE process_cpu_seconds_total counter$/m);
  t.match(metrics.text(), /^process_cpu_seconds_total [\d.]+$/m);
  t.match(metrics.text(), /^process_resident_memory_bytes \d{7,}$/m);
  t.match(metrics.text(), /^process_start_time_seconds 1\d{9}$/m);
  t.end();
});
