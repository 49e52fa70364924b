import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectDirectory } from '../../build/project.ts';

export const alertsFile = join(projectDirectory, 'charts/polycloud/files/alerts.yaml');
const dashboardFile = join(projectDirectory, 'charts/polycloud/files/dashboard.json');

export interface Alert {
  readonly name: string;
  readonly expression: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

export async function readAlerts(): Promise<readonly Alert[]> {
  const { groups } = parse(await readFile(alertsFile, 'utf8')) as RuleFile;
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, annotations, labels }) => ({ name: alert, expression: expr, annotations, labels })),
  );
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly (Pick<Alert, 'annotations' | 'labels'> & {
      readonly alert: string;
      readonly expr: string;
    })[];
  }[];
}

export interface PanelQuery {
  /** The title of the panel. */
  readonly name: string;
  readonly expression: string;
  /** The labels that the legend names. */
  readonly legendLabels: readonly string[];
}

/** With the interval of Grafana's variable as 5 minutes. */
export async function readPanels(): Promise<readonly PanelQuery[]> {
  const { panels } = await readDashboard();
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      name: title,
      expression: expr.replaceAll('$__rate_interval', '5m'),
      legendLabels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    })),
  );
}

export async function readDashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(dashboardFile, 'utf8')) as Dashboard;
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}
