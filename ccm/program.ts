import type { ProgramDescription } from '../lib/command-line/program-description.ts';
import { outputOptions } from '../lib/command-line/shared-options.ts';
import { upstreamOptions } from '../lib/command-line/upstream-flags.ts';
import { logOptions } from '../lib/log/open-log.ts';
import { servingOptions } from '../lib/server/settings.ts';
import { electionOptions } from './leader-election/settings.ts';
import { controllerOptions } from './options.ts';
import { upstreamFlags } from './upstream-flags.ts';

export const servingDefaults = { port: 10_258, certificateName: 'cloud-controller-manager' };

const leaseFlags = ['--leader-elect-resource-namespace', '--leader-elect-resource-name'];

export const program = {
  name: 'polycloud-ccm',
  summary: 'Keep the Nodes of a cluster in sync with their instances, on several clouds at once.',
  options: [...controllerOptions, ...electionOptions, ...servingOptions(servingDefaults), ...logOptions],
  upstreamOptions: upstreamOptions(upstreamFlags),
  commands: [
    {
      name: 'status',
      description:
        'show the leader, its clouds, and Nodes that need attention; exits with 1 if something is wrong or unknown',
      options: outputOptions,
      uses: ['--kubeconfig', ...leaseFlags],
    },
    {
      name: 'explain',
      operand: 'NODE',
      description: 'show what is known of a Node, what would be done with it, and why; exits with 1 if it is unknown',
      options: outputOptions,
      uses: [
        '--kubeconfig',
        '--cloud-provider',
        '--cloud-config',
        '--agent-head-start',
        '--configure-cloud-routes',
        '--cluster-cidr',
        '--route-reconciliation-period',
        ...leaseFlags,
      ],
    },
  ],
} as const satisfies ProgramDescription;
