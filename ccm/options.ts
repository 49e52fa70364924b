import { clouds } from '../clouds/index.ts';
import { readCloudNames } from '../lib/command-line/cloud-names.ts';
import type { OptionDescription } from '../lib/command-line/program-description.ts';
import { Failure } from '../lib/failure.ts';
import { durationFlag, switchFlag, textFlag, wholeNumberFlag } from '../lib/command-line/flag-values.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';
import { readRouteFlags } from './route-controller/read-flags.ts';
import type { RouteSettings } from './route-controller/state.ts';

/** Names and defaults are upstream's. docs/guides/ccm.md lists the exceptions. */
export const controllerOptions: readonly OptionDescription[] = [
  {
    flag: '--kubeconfig',
    value: 'FILE',
    description: 'how to reach the API server (default: from inside the cluster)',
  },
  {
    flag: '--cloud-provider',
    value: 'NAMES',
    isList: true,
    description: 'the clouds of the Nodes, separated by commas (required)',
  },
  {
    flag: '--cloud-config',
    value: 'FILE',
    description: 'the configuration file (default: /etc/polycloud/config.yaml, if it exists)',
  },
  {
    flag: '--controllers',
    value: 'NAMES',
    isList: true,
    description: 'cloud-node, cloud-node-lifecycle and node-route-controller; -NAME turns one off (default *)',
  },
  {
    flag: '--node-monitor-period',
    value: 'DURATION',
    description: 'how often a Node that is not Ready is looked up (default 5s)',
  },
  {
    flag: '--node-status-update-frequency',
    value: 'DURATION',
    description: 'how often every Node is looked up (default 5m)',
  },
  { flag: '--concurrent-node-syncs', value: 'COUNT', description: 'writes at once (default 20)' },
  { flag: '--kube-api-qps', value: 'COUNT', description: 'writes a second; 0: the API server limits them (default 0)' },
  {
    flag: '--kube-api-burst',
    value: 'COUNT',
    description: 'writes at once before --kube-api-qps applies (default 30)',
  },
  {
    flag: '--authentication-kubeconfig',
    value: 'FILE',
    description: 'the API server that authenticates readers of /metrics and /statusz (default: that of the Nodes)',
  },
  {
    flag: '--authorization-kubeconfig',
    value: 'FILE',
    description: 'the API server that authorizes them (default: that of the Nodes)',
  },
  {
    flag: '--agent-head-start',
    value: 'DURATION',
    description: 'how long the agent of a new Node has to initialise it (default 0s)',
  },
  {
    flag: '--configure-cloud-routes',
    description: 'keep a route to the pods of each Node in the route tables of the clouds (default false)',
  },
  {
    flag: '--cluster-cidr',
    value: 'CIDRS',
    isList: true,
    description: 'the range of all pod CIDRs, or one of each IP family; required with --configure-cloud-routes',
  },
  {
    flag: '--route-reconciliation-period',
    value: 'DURATION',
    description: 'how often every route table is compared with the Nodes (default 10s)',
  },
  { flag: '--dry-run', description: 'log what would be written, and write nothing, not even the Lease' },
];

export interface ControllerFlags {
  readonly kubeconfig: string | undefined;
  readonly authenticationKubeconfig: string | undefined;
  readonly authorizationKubeconfig: string | undefined;
  readonly cloudNames: readonly string[];
  readonly configFile: string | undefined;
  readonly controllers: { readonly node: boolean; readonly lifecycle: boolean; readonly route: boolean };
  readonly nodeMonitorPeriodMs: number;
  readonly nodeStatusUpdateFrequencyMs: number;
  readonly writesAtOnce: number;
  readonly writesPerSecond: number;
  readonly writeBurst: number;
  readonly agentHeadStartMs: number;
  /** Absent: no routes are kept. */
  readonly routes?: Pick<RouteSettings, 'clusterCidrs' | 'routeReconciliationPeriodMs'>;
  readonly dryRun: boolean;
}

export function readControllerFlags(given: FlagValues): ControllerFlags {
  const routes = readRouteFlags(given);
  return {
    kubeconfig: given['--kubeconfig'],
    authenticationKubeconfig: given['--authentication-kubeconfig'],
    authorizationKubeconfig: given['--authorization-kubeconfig'],
    cloudNames: readCloudNames('--cloud-provider', given['--cloud-provider'] ?? '', 'instances', clouds),
    configFile: given['--cloud-config'],
    controllers: controllersOf(textFlag(given, '--controllers', '*')),
    nodeMonitorPeriodMs: periodFlag(given, '--node-monitor-period', 5_000),
    nodeStatusUpdateFrequencyMs: periodFlag(given, '--node-status-update-frequency', 300_000),
    writesAtOnce: wholeNumberFlag(given, '--concurrent-node-syncs', 20, { lowest: 1, highest: 1_000 }),
    writesPerSecond: wholeNumberFlag(given, '--kube-api-qps', 0, { lowest: 0, highest: 100_000 }),
    writeBurst: wholeNumberFlag(given, '--kube-api-burst', 30, { lowest: 1, highest: 100_000 }),
    agentHeadStartMs: durationFlag(given, '--agent-head-start', 0),
    ...(routes && { routes }),
    dryRun: switchFlag(given, '--dry-run', false),
  };
}

function splitList(text: string): readonly string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

/** A loop without a pause would overload the clouds. */
const minPeriodMs = 100;

function periodFlag(given: FlagValues, flag: string, defaultMs: number): number {
  const periodMs = durationFlag(given, flag, defaultMs);
  if (periodMs >= minPeriodMs) return periodMs;
  throw new Failure('misconfigured', `${flag} is shorter than 100ms`, { remedy: 'leave it out, or give a longer one' });
}

/** Upstream's names, and the short forms that it accepts too. */
const controllerNames: Readonly<Record<string, keyof ControllerFlags['controllers']>> = {
  'cloud-node': 'node',
  'cloud-node-controller': 'node',
  'cloud-node-lifecycle': 'lifecycle',
  'cloud-node-lifecycle-controller': 'lifecycle',
  route: 'route',
  'node-route-controller': 'route',
};
/** Controllers of upstream that we do not have. A manifest may turn them off. */
const upstreamOnlyNames = new Set([
  '*',
  'service',
  'service-lb-controller',
  // In the controllers of AWS, Azure and Google.
  'tagging',
  'node-ipam',
  'nodeipam',
  'node-ipam-controller',
  'gkenetworkparamset',
  'gke-service',
  'gke-service-lb-controller',
  'gke-tenant',
  'gke-tenant-controller-manager',
]);

function controllersOf(text: string): ControllerFlags['controllers'] {
  const parts = splitList(text);
  const all = parts.includes('*');
  const enabled = { node: all, lifecycle: all, route: all };
  for (const part of parts) {
    const name = controllerNames[part.replace(/^-/, '')];
    if (name !== undefined) enabled[name] = !part.startsWith('-');
    else if (!isUpstreamOnly(part)) throw unknownController();
  }
  return enabled;
}

function isUpstreamOnly(part: string): boolean {
  return part === '*' || (part.startsWith('-') && upstreamOnlyNames.has(part.slice(1)));
}

function unknownController(): Failure {
  return new Failure('misconfigured', '--controllers names one that we do not have', {
    remedy:
      'we have cloud-node, cloud-node-lifecycle and node-route-controller; ' +
      'for services run the vendor’s controller beside us',
  });
}
