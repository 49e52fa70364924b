import type { ProgramDescription } from '../lib/command-line/program-description.ts';
import { outputOptions } from '../lib/command-line/shared-options.ts';
import { upstreamOptions } from '../lib/command-line/upstream-flags.ts';
import { logOptions } from '../lib/log/open-log.ts';
import { servingOptions } from '../lib/server/settings.ts';
import { installOptions, uninstallOptions } from './install/install-options.ts';
import { agentOptions } from './options.ts';
import { upstreamFlags } from './upstream-flags.ts';

export const servingDefaults = { port: 10_263, certificateName: 'polycloud-node-agent' };

export const program = {
  name: 'polycloud-node-agent',
  summary: 'Keep the Node of this machine in sync with its instance, and serve registry logins.',
  options: [...agentOptions, ...servingOptions(servingDefaults), ...logOptions],
  upstreamOptions: upstreamOptions(upstreamFlags),
  commands: [
    {
      name: 'status',
      description: 'show what the agent on this machine is doing; exits with 1 if something is wrong',
      options: outputOptions,
      uses: ['--status-socket'],
    },
    {
      name: 'broker',
      description: 'only serve registry logins: on the host, without a pod; systemd may open its socket',
      options: [],
      uses: ['--config', '--broker-socket', '--logging-format'],
    },
    {
      name: 'install',
      description: 'put the credential provider on the host, and show what changed',
      options: [...installOptions, ...outputOptions],
      uses: ['--config', '--dry-run', '--kubeconfig', '--node-name'],
    },
    {
      name: 'uninstall',
      description: 'restore what was on the host before `install`',
      options: [...uninstallOptions, ...outputOptions],
      uses: ['--kubeconfig', '--node-name'],
    },
  ],
} as const satisfies ProgramDescription;
