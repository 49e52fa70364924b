import type { ProgramDescription } from '../lib/command-line/program-description.ts';
import { programName } from './runtime.ts';

const cloudOption = { flag: '--cloud', value: 'NAMES', description: 'only these clouds, separated by commas' };

export const program: ProgramDescription = {
  name: programName,
  summary: 'Read a request of the kubelet from standard input and print the login for an image registry.',
  options: [
    {
      flag: '--config',
      value: 'FILE',
      description: 'configuration file; default /etc/polycloud/config.yaml, if it exists',
    },
  ],
  commands: [
    {
      name: 'doctor',
      operand: 'IMAGE',
      description: 'log in for an image as for the kubelet, and print each step',
      options: [
        { flag: '--json', description: 'as JSON' },
        { flag: '--token-file', value: 'FILE', description: 'log in as a pod, with this service account token' },
        { flag: '--annotations', value: 'LIST', description: "annotations KEY=VALUE,… of the pod's service account" },
      ],
    },
    {
      name: 'config lint',
      operand: 'PATH…',
      description: "check files or directories for the kubelet's --image-credential-provider-config",
      options: [{ flag: '--bin-dir', value: 'DIR', description: 'check that the executables are there' }],
    },
    {
      name: 'config print',
      description: 'print a valid file',
      options: [
        cloudOption,
        { flag: '--pods', description: 'add an entry for pod identities for each cloud' },
        { flag: '--rbac', description: 'print the RBAC rules that let kubelets request the tokens of these entries' },
      ],
    },
  ],
};
