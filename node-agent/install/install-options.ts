import type { OptionDescription } from '../../lib/command-line/program-description.ts';

const hostRootOption: OptionDescription = {
  flag: '--host-root',
  value: 'DIR',
  description: 'where the root of the host is (required); / on the host itself',
};

const restartOption: OptionDescription = {
  flag: '--restart-kubelet',
  description: 'restart the kubelet if it has to be, one node at a time, and go back if its Node is not Ready in 60 s',
};

export const uninstallOptions: readonly OptionDescription[] = [hostRootOption, restartOption];

export const installOptions: readonly OptionDescription[] = [
  hostRootOption,
  {
    flag: '--source',
    value: 'DIR',
    description: 'where the credential provider and its front end are (default: the directory of this program)',
  },
  {
    flag: '--registries',
    value: 'CLOUDS',
    description: 'the clouds whose registries the kubelet asks for, separated by commas (default: all)',
  },
  { flag: '--pods', description: 'add entries for the identity of pods (Kubernetes 1.34 or later)' },
  { flag: '--host-broker', description: 'also run the broker on the host, as a service of systemd' },
  restartOption,
];
