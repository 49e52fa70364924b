import { uninitializedTaint } from './watch-nodes.ts';
import type { Draft } from '../../lib/kubernetes/resources.ts';
import type { Node } from '../../schemas/kubernetes.ts';

export interface BenchInstance {
  /** Of its Node. */
  readonly name: string;
  readonly providerId: string;
  readonly systemUuid: string;
}

/** As a kubelet registers itself that waits for its cloud: about as large as one with 30 images, and Ready. */
export function nodeDraft(instance: BenchInstance, knownBy: 'providerID' | 'name'): Draft<Node> {
  const { name, providerId, systemUuid } = instance;
  const taint = { key: uninitializedTaint, value: 'true', effect: 'NoSchedule' } as const;
  const draft = {
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'arm64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'arm64',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: { ...(knownBy === 'providerID' && { providerID: providerId }), taints: [taint] },
    status: { capacity, allocatable: capacity, conditions: conditions(), images, nodeInfo: nodeInfo(systemUuid) },
  };
  return draft;
}

const capacity = {
  cpu: '2',
  memory: '7860Ki',
  'ephemeral-storage': '83873772Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  pods: '29',
};

/** The kubelet lists up to 50, by digest and by tag. */
const images = Array.from({ length: 30 }, (_each, index) => {
  const name = `123456789012.dkr.ecr.us-west-2.amazonaws.com/team/service-${String(index)}`;
  const digest = index.toString(16).padStart(64, '0123456789abcdef');
  return { names: [`${name}@sha256:${digest}`, `${name}:v1.${String(index)}.0`], sizeBytes: 50_000_000 + index };
});

function conditions(): readonly object[] {
  const now = new Date().toISOString();
  const at = { lastHeartbeatTime: now, lastTransitionTime: now };
  return [
    pressure('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available', at),
    pressure('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure', at),
    pressure('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available', at),
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status', ...at },
  ];
}

function pressure(type: string, reason: string, message: string, at: object): object {
  return { type, status: 'False', reason, message, ...at };
}

function nodeInfo(systemUuid: string): object {
  return {
    architecture: 'arm64',
    bootID: '7d3f4c1e-0b1a-4a57-9a51-2d6c1f0a9b11',
    containerRuntimeVersion: 'containerd://2.1.4',
    kernelVersion: '6.12.40-64.114.amzn2023.aarch64',
    kubeProxyVersion: '',
    kubeletVersion: 'v1.37.1',
    machineID: systemUuid,
    operatingSystem: 'linux',
    osImage: 'Amazon Linux 2023.8',
    systemUUID: systemUuid,
  };
}
