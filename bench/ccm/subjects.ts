import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { labUserKey } from '../../test/lab/clouds/aws/state.ts';
import { freePort } from '../../test/lab/control-plane/free-port.ts';
import { preparePeer } from '../peers/prepare-peer.ts';
import { clusterName, region } from './fixture.ts';
import type { ControllerFixture } from './fixture.ts';

export type SubjectName = 'polycloud-ccm' | 'peer, default flags' | 'peer, tuned';

/** A controller that is measured, and how to start one more replica of it. */
export interface ControllerSubject {
  readonly name: SubjectName;
  readonly file: string;
  /** What its User-Agent at the API server begins with. */
  readonly userAgent: string;
  readonly env: Readonly<Record<string, string>>;
  /** For one replica: each serves on a port of its own. */
  args(): Promise<readonly string[]>;
}

export type ControllerSubjects = Readonly<Record<'ours' | 'byDefault' | 'tuned', ControllerSubject>>;

export async function createControllerSubjects(
  fixture: ControllerFixture,
  log: (line: string) => void,
): Promise<ControllerSubjects> {
  const peerFile = await preparePeer('aws-cloud-controller-manager', log);
  const cloudConfig = join(fixture.directory, 'aws-cloud-config');
  await writeFile(cloudConfig, peerConfig(fixture));
  const peer = {
    file: peerFile,
    userAgent: 'aws-cloud-controller-manager/',
    env: { ...credentials, AWS_EC2_METADATA_SERVICE_ENDPOINT: fixture.aws.url('imds') },
  };
  const peerArgs = async (flags: readonly string[]): Promise<readonly string[]> => [
    ...(await commonArgs(fixture)),
    `--cloud-config=${cloudConfig}`,
    // Ours asks with the one that it has.
    `--authentication-kubeconfig=${fixture.plane.adminKubeconfig}`,
    `--authorization-kubeconfig=${fixture.plane.adminKubeconfig}`,
    // Ours has no others, so the peer is not made to carry those for services and routes.
    '--controllers=cloud-node,cloud-node-lifecycle',
    ...flags,
  ];
  return {
    ours: ownSubject(fixture),
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

export function ownSubject(fixture: ControllerFixture): ControllerSubject {
  return {
    name: 'polycloud-ccm',
    file: executablePath('polycloud-ccm', hostArchitecture()),
    userAgent: 'polycloud-ccm/',
    env: {
      ...credentials,
      AWS_ENDPOINT_URL_EC2: fixture.aws.url('ec2'),
      AWS_ENDPOINT_URL_STS: fixture.aws.url('sts'),
      AWS_EC2_METADATA_SERVICE_ENDPOINT: fixture.aws.url('imds'),
    },
    args: () => commonArgs(fixture),
  };
}

async function commonArgs({ plane }: ControllerFixture): Promise<readonly string[]> {
  return [
    `--kubeconfig=${plane.adminKubeconfig}`,
    '--cloud-provider=aws',
    '--bind-address=127.0.0.1',
    `--secure-port=${String(await freePort())}`,
  ];
}

/** As a controller outside of AWS is configured; else it insists on finding itself among the instances. */
function peerConfig({ aws }: ControllerFixture): string {
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
