import { readFile } from 'node:fs/promises';
import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { evaluate } from '../../lab/prometheus/evaluate.ts';
import type { QueryResult } from '../../lab/prometheus/evaluate.ts';
import { findPromql } from '../../lab/prometheus/find-promql.ts';
import { requires } from '../../lab/requires.ts';
import { alertsFile, readAlerts, readPanels } from '../../support/monitoring-files.ts';
import { agentPages } from './agent-pages.ts';
import { controllerPages } from './controller-pages.ts';
import { phases, scrapesOf } from './timeline.ts';
import type { Pages } from './timeline.ts';

t.setTimeout(240_000);

/** When each alert has to see something. None sees anything while all is well. */
const alertPhases: Readonly<Record<string, keyof typeof phases>> = {
  PolycloudNoLeader: 'gone',
  PolycloudCloudLookupsFailing: 'failing',
  PolycloudDeletionsStopped: 'broken',
  PolycloudNodesUninitialized: 'failing',
  PolycloudRoutesFailing: 'broken',
  PolycloudRouteTablesFailing: 'failing',
  PolycloudNodeSyncFailing: 'failing',
  PolycloudNoticesFailing: 'failing',
  PolycloudDrainBlocked: 'broken',
  PolycloudRegistryLoginsFailing: 'failing',
  PolycloudCredentialProviderErrors: 'failing',
};

/** As the kubelet has it: pkg/credentialprovider/plugin/metrics.go of Kubernetes. */
function kubeletPage(errors: number): string {
  return `kubelet_credential_provider_plugin_errors_total{plugin_name="polycloud-credential-provider"} ${String(errors)}\n`;
}

const kubelet: Pages = {
  labels: { job: 'kubelet', instance: '10.0.0.20:10250' },
  healthy: [kubeletPage(0), kubeletPage(0)],
  broken: kubeletPage(0),
  failing: [kubeletPage(1), kubeletPage(2)],
};

const missing = [await findPrograms(), await namespaceSupport(), await findPromql()].find(
  ({ available }) => !available,
);

await t.test(
  'alerts and dashboard, on metrics of running programs',
  requires(missing ?? { available: true }),
  async (t) => {
    const scraped: Pages[] = [];
    for (const [name, read] of Object.entries({ controller: controllerPages, agent: agentPages })) {
      await t.test(`the ${name} is scraped`, async (t) => void scraped.push(await read(t)));
    }
    const scrapes = [...scraped, kubelet].flatMap(scrapesOf);
    const [alerts, panels] = [await readAlerts(), await readPanels()];
    const allPhases = Object.values(phases);
    const expressions = [...alerts, ...panels].map(({ expression }) => expression);
    const queries = expressions.flatMap((expression) => allPhases.map((atSeconds) => ({ expression, atSeconds })));
    const { problems, results } = await evaluate({ scrapes, queries, rules: await readFile(alertsFile, 'utf8') });
    const resultOf = (expression: string, phase: keyof typeof phases): QueryResult => {
      const result =
        results[queries.findIndex((each) => each.expression === expression && each.atSeconds === phases[phase])];
      return result ?? { error: 'not evaluated', series: [] };
    };

    await t.test('Prometheus loads the rules', (t) => {
      t.strictSame(problems, []);
      t.strictSame(alerts.map(({ name }) => name).toSorted(), Object.keys(alertPhases).toSorted());
      t.end();
    });
    for (const { name, expression } of alerts) {
      await t.test(`${name} sees its fault, and nothing while all is well`, (t) => {
        const phase = alertPhases[name] ?? 'failing';
        t.strictSame(resultOf(expression, 'healthy'), { series: [] });
        t.match(resultOf(expression, phase), { series: [{ values: [/\d/] }] }, phase);
        t.end();
      });
    }
    for (const { name, expression } of panels) {
      await t.test(`the panel “${name}” has data`, (t) => {
        const found = (['healthy', 'broken', 'failing'] as const).map((phase) => resultOf(expression, phase));
        t.notOk(
          found.find(({ error }) => error !== undefined),
          expression,
        );
        const values = found.flatMap(({ series }) => series.flatMap((each) => each.values));
        t.ok(
          values.some((value) => value !== 'NaN'),
          `${expression}: ${values.join(' ')}`,
        );
        t.end();
      });
    }
  },
);
