import type { OptionDescription } from '../lib/command-line.ts';
import { Failure } from '../lib/failure.ts';
import { durationFlag, textFlag } from '../lib/flag-values.ts';
import type { FlagTexts } from '../lib/flag-values.ts';
import { brokerSocket } from '../schemas/broker.ts';

export const agentOptions: readonly OptionDescription[] = [
  {
    flag: '--kubeconfig',
    value: 'FILE',
    description: 'how to reach the API server (default: from inside the cluster)',
  },
  { flag: '--node-name', value: 'NAME', description: 'the Node that this machine is (default: NODE_NAME)' },
  { flag: '--cloud', value: 'NAME', description: 'the cloud that this machine is of (default: found out)' },
  {
    flag: '--config',
    value: 'FILE',
    description: 'our configuration; default /etc/polycloud/config.yaml, if it is there',
  },
  {
    flag: '--broker-socket',
    value: 'PATH',
    description: `where registry logins are handed out (default ${brokerSocket}); none: nowhere`,
  },
  {
    flag: '--status-socket',
    value: 'PATH',
    description: 'where `status` finds the running agent (default /run/polycloud/agent.sock)',
  },
  {
    flag: '--node-status-update-frequency',
    value: 'DURATION',
    description: 'how often the instance metadata is read again (default 1m)',
  },
];

export interface AgentFlags {
  readonly kubeconfig: string | undefined;
  readonly nodeName: string;
  /** Absent: it is found out. */
  readonly cloudName: string | undefined;
  readonly configFile: string | undefined;
  /** Absent: no logins are handed out. */
  readonly brokerSocket: string | undefined;
  readonly statusSocket: string;
  readonly readEveryMs: number;
}

/** Reading without a pause would be a storm. */
const shortestPeriodMs = 100;

export function readAgentFlags(given: FlagTexts, env: NodeJS.ProcessEnv): AgentFlags {
  const nodeName = given['--node-name'] ?? env['NODE_NAME'] ?? '';
  if (nodeName === '') {
    throw new Failure('misconfigured', 'neither --node-name nor NODE_NAME says which Node this is', {
      remedy: 'in a pod set NODE_NAME from the field spec.nodeName',
    });
  }
  const readEveryMs = durationFlag(given, '--node-status-update-frequency', 60_000);
  if (readEveryMs < shortestPeriodMs) {
    throw new Failure('misconfigured', '--node-status-update-frequency is shorter than 100ms', {
      remedy: 'leave it out, or give a longer one',
    });
  }
  return {
    kubeconfig: given['--kubeconfig'],
    nodeName,
    cloudName: given['--cloud'],
    configFile: given['--config'],
    brokerSocket: brokerSocketIn(given),
    statusSocket: statusSocketOf(given),
    readEveryMs,
  };
}

const nowhere = 'none';

function brokerSocketIn(given: FlagTexts): string | undefined {
  const path = textFlag(given, '--broker-socket', brokerSocket);
  return path === nowhere ? undefined : path;
}

export function statusSocketOf(given: FlagTexts): string {
  return textFlag(given, '--status-socket', '/run/polycloud/agent.sock');
}
