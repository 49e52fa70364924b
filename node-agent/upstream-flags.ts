import type { UpstreamFlags } from '../lib/command-line/upstream-flags.ts';
import { upstreamServerFlags } from '../lib/server/upstream-flags.ts';

/** The flags of Azure's cloud-node-manager that the agent does not have. */
export const upstreamFlags: readonly UpstreamFlags[] = [
  {
    flags: ['--use-instance-metadata'],
    why: 'the agent reads nothing but the metadata service',
    refused: { unless: ['true'], instead: 'leave it out; the controller describes Nodes by the Resource Manager' },
  },
  {
    flags: ['--cloud-config FILE'],
    why: 'the agent does not use the Resource Manager',
    refused: { instead: 'leave it out; --config names the file of polycloud' },
  },
  {
    flags: ['--wait-routes'],
    why: 'the agent does not set the condition NetworkUnavailable',
    refused: {
      unless: ['false'],
      instead: 'leave it out; Azure’s route controller sets the condition, see docs/guides/azure.md',
    },
  },
  { flags: ['--enable-deprecated-beta-topology-labels'], why: 'the beta labels are always written' },
  {
    flags: ['--kube-api-burst COUNT', '--kube-api-qps COUNT'],
    why: 'the agent sends few requests, and the API server limits them',
  },
  { flags: ['--min-resync-period DURATION'], why: '--node-status-update-frequency is the period' },
  {
    flags: ['--authentication-kubeconfig FILE', '--authorization-kubeconfig FILE'],
    why: 'the API server of the Node decides who may read /metrics',
  },
  ...upstreamServerFlags,
];
