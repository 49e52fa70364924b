import type { ProgramDescription } from '../lib/command-line/program-description.ts';
import { outputOptions, outputOptionsFor } from '../lib/command-line/shared-options.ts';
import { programName } from './runtime.ts';

const cloudOption = { flag: '--cloud', value: 'NAMES', description: 'only these clouds, separated by commas' };

export const program: ProgramDescription = {
  name: programName,
  summary: 'Read a request of the kubelet from standard input and print the login for an image registry.',
  options: [
    {
      flag: '--config',
      value: 'FILE',
      description: 'configuration file (default /etc/polycloud/config.yaml, if it exists)',
    },
  ],
  commands: [
    {
      name: 'doctor',
      operand: 'IMAGE',
      description: 'log in for an image as for the kubelet, and print each step',
      options: [
        ...outputOptions,
        { flag: '--token-file', value: 'FILE', description: 'log in as a pod, with this service account token' },
        { flag: '--annotations', value: 'LIST', description: "annotations KEY=VALUE,… of the pod's service account" },
      ],
      uses: ['--config'],
    },
    {
      name: 'config lint',
      operand: 'PATH…',
      description: "check configuration files of polycloud, and the kubelet's credential provider files or directories",
      options: [
        ...outputOptions,
        {
          flag: '--bin-dir',
          value: 'DIR',
          description: "check that the executables of the kubelet's file are in this directory",
        },
      ],
    },
    {
      name: 'config print',
      description: "print a valid file for the kubelet's --image-credential-provider-config",
      options: [
        ...outputOptionsFor('yaml'),
        cloudOption,
        { flag: '--pods', description: 'add an entry for pod identities for each cloud' },
        {
          flag: '--annotations',
          value: 'KEYS',
          description:
            'with --pods: the service account annotations that name identities, separated by commas; an entry for each (default: one per cloud)',
        },
        { flag: '--rbac', description: 'print the RBAC rules that let kubelets request the tokens of these entries' },
      ],
      uses: ['--config'],
    },
    {
      name: 'copy',
      operand: 'DIR',
      description: 'copy this program and its front end into a directory, from their image or archive',
      options: [],
    },
  ],
};
