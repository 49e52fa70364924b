import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { freePort } from '../../test/lab/control-plane/free-port.ts';
import type { BenchSubject } from '../harness/replica.ts';
import { preparePeer } from '../peers/prepare-peer.ts';
import type { ControllerFixture } from './fixture.ts';

export type SubjectName = 'polycloud-ccm' | 'peer, default flags' | 'peer, tuned';

/** A controller that is measured. */
export interface ControllerSubject extends BenchSubject {
  readonly name: SubjectName;
  /** What its User-Agent at the API server begins with. */
  readonly userAgent: string;
}

/** Only ours, in a cloud without a peer. */
export interface ControllerSubjects {
  readonly ours: ControllerSubject;
  readonly byDefault?: ControllerSubject;
  readonly tuned?: ControllerSubject;
}

/** Ours, and that peer where there is one. */
export function subjectsOf(subjects: ControllerSubjects, peer: 'byDefault' | 'tuned'): readonly ControllerSubject[] {
  return [subjects.ours, subjects[peer]].filter((subject) => subject !== undefined);
}

export async function createControllerSubjects(
  fixture: ControllerFixture,
  log: (line: string) => void,
): Promise<ControllerSubjects> {
  const ours = ownSubject(fixture);
  const { peer } = fixture.cloud;
  if (peer === undefined) return { ours };
  const file = await preparePeer(peer.program, log);
  const cloudConfig = join(fixture.directory, 'peer-cloud-config');
  await writeFile(cloudConfig, peer.cloudConfig);
  const common = { file, userAgent: `${peer.program}/`, env: peer.env };
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
    ours,
    byDefault: { ...common, name: 'peer, default flags', args: () => peerArgs([]) },
    tuned: { ...common, name: 'peer, tuned', args: () => peerArgs(tuning) },
  };
}

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
    env: fixture.cloud.env,
    args: () => commonArgs(fixture),
  };
}

async function commonArgs({ plane, cloud }: ControllerFixture): Promise<readonly string[]> {
  return [
    `--kubeconfig=${plane.adminKubeconfig}`,
    `--cloud-provider=${cloud.name}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${String(await freePort())}`,
  ];
}
