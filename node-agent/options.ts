import { clouds } from '../clouds/index.ts';
import { readCloudName, readCloudNames } from '../lib/command-line/cloud-names.ts';
import type { OptionDescription } from '../lib/command-line/program-description.ts';
import { Failure } from '../lib/failure.ts';
import { durationFlag, switchFlag, textFlag } from '../lib/command-line/flag-values.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';
import { brokerSocket } from '../schemas/broker.ts';
import { interruptionActions } from '../schemas/interruption.ts';
import type { InterruptionAction } from '../schemas/interruption.ts';

export const agentOptions: readonly OptionDescription[] = [
  {
    flag: '--kubeconfig',
    value: 'FILE',
    description: 'how to reach the API server (default: from inside the cluster)',
  },
  { flag: '--node-name', value: 'NAME', description: 'the name of the Node of this machine (default: NODE_NAME)' },
  { flag: '--cloud', value: 'NAME', description: 'the cloud that this machine runs on (default: detected)' },
  {
    flag: '--detect-clouds',
    value: 'NAMES',
    description: 'without --cloud: the clouds to detect, separated by commas (default: all)',
  },
  {
    flag: '--node-sync',
    description: 'keep the Node in sync with this machine (default true); false: only serve registry logins',
  },
  {
    flag: '--config',
    value: 'FILE',
    description: 'the configuration file (default: /etc/polycloud/config.yaml, if it exists)',
  },
  {
    flag: '--broker-socket',
    value: 'PATH',
    description: `the socket that serves registry logins (default ${brokerSocket}); none: serve no logins`,
  },
  {
    flag: '--status-socket',
    value: 'PATH',
    description: 'the socket where `status` reaches the running agent (default /run/polycloud/agent.sock)',
  },
  {
    flag: '--node-status-update-frequency',
    value: 'DURATION',
    description: 'how often the instance metadata is read again (default 1m)',
  },
  {
    flag: '--interruption-mode',
    value: 'MODE',
    description:
      'the most that is done when the instance is about to go: ignore, report, taint or drain (default: interruption.mode in the configuration, or drain)',
  },
  {
    flag: '--dry-run',
    description: 'log what would be written to the API server, and write nothing; logins are served as usual',
  },
];

export interface AgentFlags {
  readonly kubeconfig: string | undefined;
  readonly nodeName: string;
  /** Absent: it is detected. */
  readonly cloudName: string | undefined;
  /** Absent: all. */
  readonly detectClouds: readonly string[] | undefined;
  /** `false`: the agent writes neither the Node nor events. */
  readonly nodeSync: boolean;
  readonly configFile: string | undefined;
  /** Absent: no logins are served. */
  readonly brokerSocket: string | undefined;
  readonly statusSocket: string;
  readonly readEveryMs: number;
  /** Absent: as configured. */
  readonly interruptionMode: InterruptionAction | undefined;
  /** `true`: nothing is written to the API server, neither the Node nor events. */
  readonly dryRun: boolean;
}

/** Reading without a pause would overload the metadata service. */
const shortestPeriodMs = 100;

export function readAgentFlags(given: FlagValues, env: NodeJS.ProcessEnv): AgentFlags {
  const nodeName = given['--node-name'] ?? env['NODE_NAME'] ?? '';
  if (nodeName === '') {
    throw new Failure('misconfigured', 'neither --node-name nor NODE_NAME is set', {
      remedy: 'in a pod set NODE_NAME from the field spec.nodeName',
    });
  }
  const readEveryMs = durationFlag(given, '--node-status-update-frequency', 60_000);
  if (readEveryMs < shortestPeriodMs) {
    throw new Failure('misconfigured', '--node-status-update-frequency is shorter than 100ms', {
      remedy: 'leave it out, or give a longer one',
    });
  }
  const [nodeSync, socket] = [switchFlag(given, '--node-sync', true), brokerSocketIn(given)];
  if (!nodeSync && socket === undefined) {
    throw new Failure('misconfigured', '--node-sync=false and --broker-socket none leave nothing to do', {
      remedy: 'leave one of them out',
    });
  }
  return {
    kubeconfig: given['--kubeconfig'],
    nodeName,
    cloudName: cloudNameIn(given),
    detectClouds: detectCloudsIn(given),
    nodeSync,
    configFile: given['--config'],
    brokerSocket: socket,
    statusSocket: statusSocketOf(given),
    readEveryMs,
    interruptionMode: interruptionModeIn(given),
    dryRun: switchFlag(given, '--dry-run', false),
  };
}

function cloudNameIn({ '--cloud': text }: FlagValues): string | undefined {
  return text === undefined ? undefined : readCloudName('--cloud', text, 'metadata', clouds);
}

function detectCloudsIn({ '--detect-clouds': list }: FlagValues): readonly string[] | undefined {
  return list === undefined ? undefined : readCloudNames('--detect-clouds', list, 'metadata', clouds);
}

function interruptionModeIn(given: FlagValues): InterruptionAction | undefined {
  const text = given['--interruption-mode'];
  const mode = interruptionActions.find((action) => action === text);
  if (mode !== undefined || text === undefined) return mode;
  throw new Failure('misconfigured', `--interruption-mode is ${JSON.stringify(text.slice(0, 40))}`, {
    remedy: `use one of ${interruptionActions.join(', ')}`,
  });
}

const noSocket = 'none';

/** `undefined`: none. */
export function brokerSocketIn(given: FlagValues): string | undefined {
  const path = textFlag(given, '--broker-socket', brokerSocket);
  return path === noSocket ? undefined : path;
}

export function statusSocketOf(given: FlagValues): string {
  return textFlag(given, '--status-socket', '/run/polycloud/agent.sock');
}
