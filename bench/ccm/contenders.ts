import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executable.ts';
import { labUserKey } from '../../test/lab/clouds/aws/state.ts';
import { freePort } from '../../test/lab/control-plane/free-port.ts';
import { preparePeer } from '../peers/prepare-peer.ts';
import { clusterName, region } from './place.ts';
import type { Place } from './place.ts';

export type ContenderName = 'polycloud-ccm' | 'peer, default flags' | 'peer, tuned';

/** A controller that is measured, and how to start one more replica of it. */
export interface Contender {
  readonly name: ContenderName;
  readonly file: string;
  /** What its User-Agent at the API server begins with. */
  readonly userAgent: string;
  readonly env: Readonly<Record<string, string>>;
  /** For one replica: each serves on a port of its own. */
  args(): Promise<readonly string[]>;
}

export type Contenders = Readonly<Record<'ours' | 'byDefault' | 'tuned', Contender>>;

export async function makeContenders(place: Place, say: (line: string) => void): Promise<Contenders> {
  const peerFile = await preparePeer('aws-cloud-controller-manager', say);
  const cloudConfig = join(place.directory, 'aws-cloud-config');
  await writeFile(cloudConfig, peerConfig(place));
  const peer = {
    file: peerFile,
    userAgent: 'aws-cloud-controller-manager/',
    env: { ...credentials, AWS_EC2_METADATA_SERVICE_ENDPOINT: place.aws.url('imds') },
  };
  const peerArgs = async (flags: readonly string[]): Promise<readonly string[]> => [
    ...(await commonArgs(place)),
    `--cloud-config=${cloudConfig}`,
    // Ours asks with the one that it has.
    `--authentication-kubeconfig=${place.plane.adminKubeconfig}`,
    `--authorization-kubeconfig=${place.plane.adminKubeconfig}`,
    // Ours has no others, so the peer is not made to carry those for services and routes.
    '--controllers=cloud-node,cloud-node-lifecycle',
    ...flags,
  ];
  return {
    ours: ourContender(place),
    byDefault: { ...peer, name: 'peer, default flags', args: () => peerArgs([]) },
    tuned: { ...peer, name: 'peer, tuned', args: () => peerArgs(tuning) },
  };
}

const credentials = {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
};

const tuning = [
  '--concurrent-node-syncs=100',
  '--concurrent-node-lifecycle-syncs=100',
  '--kube-api-qps=1000',
  '--kube-api-burst=2000',
];

export function ourContender(place: Place): Contender {
  return {
    name: 'polycloud-ccm',
    file: executablePath('polycloud-ccm', hostArchitecture()),
    userAgent: 'polycloud-ccm/',
    env: {
      ...credentials,
      AWS_ENDPOINT_URL_EC2: place.aws.url('ec2'),
      AWS_ENDPOINT_URL_STS: place.aws.url('sts'),
      AWS_EC2_METADATA_SERVICE_ENDPOINT: place.aws.url('imds'),
    },
    args: () => commonArgs(place),
  };
}

async function commonArgs({ plane }: Place): Promise<readonly string[]> {
  return [
    `--kubeconfig=${plane.adminKubeconfig}`,
    '--cloud-provider=aws',
    '--bind-address=127.0.0.1',
    `--secure-port=${String(await freePort())}`,
  ];
}

/** As a controller outside of AWS is configured; else it insists on finding itself among the instances. */
function peerConfig({ aws }: Place): string {
  return `[Global]
Region = ${region}
Zone = ${region}a
VPC = vpc-0123456789abcdef0
SubnetID = subnet-0123456789abcdef0
KubernetesClusterID = ${clusterName}
[ServiceOverride "1"]
Service = EC2
Region = ${region}
URL = ${aws.url('ec2')}
SigningRegion = ${region}
`;
}
