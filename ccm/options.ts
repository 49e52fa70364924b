import { clouds } from '../clouds/index.ts';
import type { OptionDescription } from '../lib/command-line/program-description.ts';
import { Failure } from '../lib/failure.ts';
import { durationFlag, switchFlag, textFlag, wholeNumberFlag } from '../lib/command-line/flag-values.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';

/** The names are upstream's, and so are the defaults, unless a promise of ours needs another one; the docs list these. */
export const controllerOptions: readonly OptionDescription[] = [
  {
    flag: '--kubeconfig',
    value: 'FILE',
    description: 'how to reach the API server (default: from inside the cluster)',
  },
  { flag: '--cloud-provider', value: 'NAMES', description: 'the clouds to serve, with commas between them (required)' },
  {
    flag: '--cloud-config',
    value: 'FILE',
    description: 'our configuration; default /etc/polycloud/config.yaml, if it is there',
  },
  {
    flag: '--controllers',
    value: 'NAMES',
    description: 'cloud-node and cloud-node-lifecycle; -NAME leaves one out (default *)',
  },
  {
    flag: '--node-monitor-period',
    value: 'DURATION',
    description: 'how often a node that is not Ready is asked for (default 5s)',
  },
  {
    flag: '--node-status-update-frequency',
    value: 'DURATION',
    description: 'how often every node is asked for (default 5m)',
  },
  { flag: '--concurrent-node-syncs', value: 'COUNT', description: 'writes under way at once (default 50)' },
  {
    flag: '--concurrent-node-lifecycle-syncs',
    value: 'COUNT',
    description: 'understood; the limit of --concurrent-node-syncs holds for all writes',
  },
  { flag: '--kube-api-qps', value: 'COUNT', description: 'writes a second; 0 leaves it to the API server (default 0)' },
  { flag: '--kube-api-burst', value: 'COUNT', description: 'writes at once before --kube-api-qps counts (default 30)' },
  {
    flag: '--authentication-kubeconfig',
    value: 'FILE',
    description: 'where to ask who somebody is that wants to see /metrics or /statusz (default: as for the Nodes)',
  },
  {
    flag: '--authorization-kubeconfig',
    value: 'FILE',
    description: 'where to ask whether they may (default: as for the Nodes)',
  },
  { flag: '--cluster-name', value: 'NAME', description: 'understood; nothing depends on it yet' },
  {
    flag: '--agent-head-start',
    value: 'DURATION',
    description: 'how long a new node is left to the agent on it (default 0s)',
  },
  { flag: '--dry-run', description: 'log what would be written, and write nothing, not even the Lease' },
];

export interface ControllerFlags {
  readonly kubeconfig: string | undefined;
  readonly authenticationKubeconfig: string | undefined;
  readonly authorizationKubeconfig: string | undefined;
  readonly cloudNames: readonly string[];
  readonly configFile: string | undefined;
  readonly controllers: { readonly node: boolean; readonly lifecycle: boolean };
  readonly nodeMonitorPeriodMs: number;
  readonly nodeStatusUpdateFrequencyMs: number;
  readonly writesAtOnce: number;
  readonly writesPerSecond: number;
  readonly writeBurst: number;
  readonly agentHeadStartMs: number;
  readonly dryRun: boolean;
}

export function readControllerFlags(given: FlagValues): ControllerFlags {
  return {
    kubeconfig: given['--kubeconfig'],
    authenticationKubeconfig: given['--authentication-kubeconfig'],
    authorizationKubeconfig: given['--authorization-kubeconfig'],
    cloudNames: cloudNamesOf(given),
    configFile: given['--cloud-config'],
    controllers: controllersOf(textFlag(given, '--controllers', '*')),
    nodeMonitorPeriodMs: periodFlag(given, '--node-monitor-period', 5_000),
    nodeStatusUpdateFrequencyMs: periodFlag(given, '--node-status-update-frequency', 300_000),
    writesAtOnce: wholeNumberFlag(given, '--concurrent-node-syncs', 50, { lowest: 1, highest: 1_000 }),
    writesPerSecond: wholeNumberFlag(given, '--kube-api-qps', 0, { lowest: 0, highest: 100_000 }),
    writeBurst: wholeNumberFlag(given, '--kube-api-burst', 30, { lowest: 1, highest: 100_000 }),
    agentHeadStartMs: durationFlag(given, '--agent-head-start', 0),
    dryRun: switchFlag(given, '--dry-run', false),
  };
}

function cloudNamesOf(given: FlagValues): readonly string[] {
  const names = splitList(textFlag(given, '--cloud-provider', '')).map(nameOfAlias);
  if (names.length > 0) return names;
  throw new Failure('misconfigured', '--cloud-provider names no cloud', { remedy: 'give it, for example aws,static' });
}

function nameOfAlias(text: string): string {
  return clouds.find(({ aliases }) => aliases.includes(text))?.name ?? text;
}

function splitList(text: string): readonly string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

/** A loop without a pause would be a storm. */
const minPeriodMs = 100;

function periodFlag(given: FlagValues, flag: string, defaultMs: number): number {
  const periodMs = durationFlag(given, flag, defaultMs);
  if (periodMs >= minPeriodMs) return periodMs;
  throw new Failure('misconfigured', `${flag} is shorter than 100ms`, { remedy: 'leave it out, or give a longer one' });
}

/** Upstream's names, and the short ones that it understands too. */
const controllerNames: Readonly<Record<string, 'node' | 'lifecycle'>> = {
  'cloud-node': 'node',
  'cloud-node-controller': 'node',
  'cloud-node-lifecycle': 'lifecycle',
  'cloud-node-lifecycle-controller': 'lifecycle',
};
/** Controllers of upstream that we do not have; switching them off is what a manifest does that runs beside us. */
const upstreamOnlyNames = new Set(['service', 'service-lb-controller', 'route', 'node-route-controller', '*']);

function controllersOf(text: string): ControllerFlags['controllers'] {
  const parts = splitList(text);
  const all = parts.includes('*');
  const enabled = { node: all, lifecycle: all };
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
      'we have cloud-node and cloud-node-lifecycle; for services and routes run the vendor’s controller beside us',
  });
}
