import { agentMetrics, interruptionMetrics } from '../../schemas/metrics/agent.ts';
import { brokerMetrics } from '../../schemas/metrics/broker.ts';
import { controllerMetrics } from '../../schemas/metrics/controller.ts';
import { daemonMetrics } from '../../schemas/metrics/daemon.ts';
import { failureReasons } from '../../schemas/metrics/declaration.ts';
import type { LabelSet, MetricDeclaration, MetricDeclarations } from '../../schemas/metrics/declaration.ts';

interface Section {
  readonly title: string;
  readonly metrics: MetricDeclarations;
}

const sections: readonly Section[] = [
  { title: 'Controller and agent', metrics: daemonMetrics },
  { title: 'Controller', metrics: controllerMetrics },
  { title: 'Agent: its Node', metrics: agentMetrics },
  { title: 'Agent: notices and drains', metrics: interruptionMetrics },
  { title: 'Agent: broker', metrics: brokerMetrics },
];

/** The page of the metrics, generated from the tables that the programs register them from. */
export function metricsPage(): string {
  const reasons = Object.entries(failureReasons).map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`);
  return `# Metrics

<!-- Made by build/docs/metrics-page.ts from schemas/metrics/. -->

The controller and the agent serve \`/metrics\` by HTTPS at \`--secure-port\`, to readers that the API server authorises. The
chart gives the permission (\`ccm.metrics.readers\`, \`agent.metrics.readers\`), and has
[monitors, alerts and a dashboard](alerts.md). Names, types and labels stay the same from
version to version. Where Kubernetes has a metric of the same meaning, the name is that of Kubernetes.

A counter whose labels have only the values below starts at 0. Labels from outside are bounded: values beyond a maximum
are counted as \`other\`. A scope never contains the id of an account.

The credential provider itself serves no metrics. The kubelet counts its failures as
\`kubelet_credential_provider_plugin_errors_total\`, and its time as
\`kubelet_credential_provider_plugin_duration\`.

${sections.map(section).join('\n\n')}

## Reasons of failures

${reasons.join('\n')}
`;
}

function section({ title, metrics }: Section): string {
  return `## ${title}\n\n${Object.values(metrics).map(item).join('\n')}`;
}

function item({ name, type, help, labels }: MetricDeclaration): string {
  const listed = Object.entries(labels).map(labelText);
  const text = help.replace(/\.$/, '').replaceAll(/<(\w+)>/g, '`<$1>`');
  return `- **\`${name}\`** (${type}): ${text}.${listed.length === 0 ? '' : ` Labels: ${listed.join('; ')}.`}`;
}

function labelText([name, values]: readonly [string, LabelSet[string]]): string {
  if (!isList(values)) return `\`${name}\``;
  if (name === 'reason') return '`reason`, see below';
  return `\`${name}\` (${values.map((value) => `\`${value}\``).join(', ')})`;
}

function isList(values: LabelSet[string]): values is readonly string[] {
  return Array.isArray(values);
}
