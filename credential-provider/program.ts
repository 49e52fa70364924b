import type { ProgramDescription } from '../lib/command-line/command-line.ts';
import { programName } from './runtime.ts';

const cloudOption = { flag: '--cloud', value: 'NAMES', description: 'only these clouds, with commas between them' };

export const program: ProgramDescription = {
  name: programName,
  summary: 'Answer a request of the kubelet, read from standard input, with the login to an image registry.',
  options: [
    {
      flag: '--config',
      value: 'FILE',
      description: 'our configuration; default /etc/polycloud/config.yaml, if it is there',
    },
  ],
  commands: [
    {
      name: 'doctor',
      operand: 'IMAGE',
      description: 'log in for an image as the kubelet would have us do it, and say each step',
      options: [
        { flag: '--json', description: 'as JSON' },
        { flag: '--token-file', value: 'FILE', description: "ask as a pod, with its service account's token" },
        { flag: '--annotations', value: 'LIST', description: "KEY=VALUE,… of that pod's service account" },
      ],
    },
    {
      name: 'config lint',
      operand: 'PATH…',
      description: "check files or directories for the kubelet's --image-credential-provider-config",
      options: [{ flag: '--bin-dir', value: 'DIR', description: 'look for the executables there' }],
    },
    {
      name: 'config print',
      description: 'print such a file',
      options: [
        cloudOption,
        { flag: '--pods', description: "with an entry for the pods' own identities on each cloud" },
        { flag: '--rbac', description: 'print what lets kubelets ask for the tokens of these entries' },
      ],
    },
  ],
};
