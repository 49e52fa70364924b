import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { projectDirectory } from '../../build/project.ts';
import { agentMetrics, interruptionMetrics } from '../../schemas/metrics/agent.ts';
import { brokerMetrics } from '../../schemas/metrics/broker.ts';
import { controllerMetrics } from '../../schemas/metrics/controller.ts';
import { daemonMetrics } from '../../schemas/metrics/daemon.ts';
import type { MetricDeclaration, MetricDeclarations } from '../../schemas/metrics/declaration.ts';
import { readAlerts, readDashboard, readPanels } from '../support/monitoring-files.ts';

// test/long/monitoring evaluates all of these on metrics of running programs.

const tables: readonly MetricDeclarations[] = [
  daemonMetrics,
  controllerMetrics,
  agentMetrics,
  interruptionMetrics,
  brokerMetrics,
];
const declared = new Map(tables.flatMap((table) => Object.values(table)).map((each) => [each.name, each] as const));
/** That Prometheus adds. */
const targetLabels = ['job', 'instance', 'pod', 'namespace', 'le'];
const kubeletMetric = 'kubelet_credential_provider_plugin_errors_total';

await t.test('alerts and panels use declared metrics, with labels and values that these have', async (t) => {
  const queries = [...(await readAlerts()), ...(await readPanels())];
  for (const { name, expression } of queries) {
    const used = [...expression.matchAll(/\b([a-z]+(?:_[a-z]+)+)(?:\{([^}]*)\})?/g)].flatMap(
      ([, metric = '', matchers = '']) => {
        const found = declared.get(metric) ?? declared.get(metric.replace(/_(?:bucket|sum|count)$/, ''));
        return found === undefined ? [] : [{ found, matchers }];
      },
    );
    t.ok(used.length > 0 || expression.includes(kubeletMetric), `${name} uses a metric: ${expression}`);
    const unknown = [...expression.matchAll(/\b(?:polycloud|rest_client|node_controller|cloud_node)_[a-z_]+/g)].filter(
      ([metric]) => !used.some(({ found }) => metric.startsWith(found.name)),
    );
    t.strictSame(unknown.map(String), [], name);
    for (const { found, matchers } of used) checkMatchers(t, name, found, matchers);
  }
});

function checkMatchers(t: Test, name: string, { labels }: MetricDeclaration, matchers: string): void {
  for (const [, label = '', operator = '', value = ''] of matchers.matchAll(/([a-z]+)(=~|!=|=)"([^"]*)"/g)) {
    const allowed = labels[label];
    t.ok(allowed !== undefined || targetLabels.includes(label), `${name}: ${label}`);
    if (operator !== '=~' && Array.isArray(allowed)) t.ok(allowed.includes(value), `${name}: ${label}="${value}"`);
  }
}

await t.test('every alert has a severity, texts and a section of the runbook', async (t) => {
  const page = await readFile(join(projectDirectory, 'docs/reference/alerts.md'), 'utf8');
  const alerts = await readAlerts();
  for (const { name, labels, annotations } of alerts) {
    t.match(labels, { severity: /^(?:critical|warning)$/ }, name);
    t.match(annotations, { summary: /./, description: /\.$/ }, name);
    t.equal(annotations['runbook_url'], `https://polycloud.dev/docs/reference/alerts#${name.toLowerCase()}`);
  }
  t.strictSame(
    [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
    alerts.map(({ name }) => name),
    'in the order of the file',
  );
});

await t.test('the dashboard shows every metric of ours, and its panels do not overlap', async (t) => {
  const panels = await readPanels();
  const { panels: placed } = await readDashboard();
  t.equal(new Set(placed.map(({ id }) => id)).size, placed.length);
  const cells = placed.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${String(x + (at % w))} ${String(y + Math.floor(at / w))}`),
  );
  t.equal(new Set(cells).size, cells.length);
  const text = panels.map(({ expression }) => expression).join('\n');
  const missing = [...declared.keys()].filter((name) => !text.includes(name));
  t.strictSame(missing, [
    // These say nothing as a curve.
    'process_start_time_seconds',
    'nodejs_heap_size_used_bytes',
    'polycloud_node_agent_writes_total',
    'polycloud_node_agent_initialization_seconds',
    'polycloud_node_agent_notices_total',
    'polycloud_node_agent_drain_deadline_timestamp_seconds',
  ]);
  for (const { name, expression, legendLabels } of panels) {
    const grouped = [...expression.matchAll(/(?:by|group_left) \(([^)]*)\)/g)].map(([, labels]) => labels).join();
    for (const label of legendLabels) t.match(grouped, new RegExp(String.raw`\b${label}\b`), name);
  }
});
