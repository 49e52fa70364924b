import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { clouds } from '../../clouds/index.ts';
import { podEntryName } from '../../lib/kubelet-config/entries.ts';
import { brokerServiceUnit, brokerSocketUnit, brokerUnits } from '../../node-agent/install/broker-units.ts';
import type { Architecture } from '../architecture.ts';
import { executablePath } from '../executables/executable.ts';
import { frontEndName } from '../executables/front-end.ts';
import { projectDirectory } from '../project.ts';
import { runOrThrow } from '../run.ts';
import { afterInstall, beforeRemove } from './package-scripts.ts';
import type { ReleaseFacts } from './release-facts.ts';

export interface PackageOptions {
  readonly arch: Architecture;
  readonly facts: ReleaseFacts;
  /** The licences of what the executables contain. */
  readonly notices: string;
  /** The program that makes packages. */
  readonly nfpm: string;
  readonly workDirectory: string;
  readonly directory: string;
}

/** Where the packages install: the value of the kubelet's --image-credential-provider-bin-dir. */
export const installedDirectory = '/usr/lib/polycloud/credential-provider';
const agentPath = '/usr/bin/polycloud-node-agent';
const unitDirectory = '/usr/lib/systemd/system';

const name = 'polycloud-credential-provider';
/** Of the entries for the identity of pods. */
export const podNames = clouds
  .filter(({ registryHosts }) => registryHosts !== undefined)
  .map((cloud) => podEntryName(cloud.name));
/** Go's names of the architectures, from which nfpm derives those of deb and rpm. */
const goArchitectures: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Packages of the credential provider with its front end and the broker of the host, for Debian and for Red Hat and their relatives. */
export async function makeLinuxPackages(options: PackageOptions): Promise<readonly string[]> {
  const { arch, facts, notices, nfpm, workDirectory, directory } = options;
  const work = join(workDirectory, `packages-${arch}`);
  await mkdir(work, { recursive: true });
  const config = join(work, 'nfpm.yaml');
  const texts = { 'notices.txt': notices, afterInstall, beforeRemove, ...brokerUnits(agentPath) };
  for (const [file, text] of Object.entries(texts)) await writeFile(join(work, file), text);
  await writeFile(config, stringify(packageConfig(arch, facts, work)));
  const env = { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: String(facts.createdAt.getTime() / 1_000) };
  const names = ['deb', 'rpm'].map((kind) => ({ kind, file: `${name}-${facts.version}-linux-${arch}.${kind}` }));
  for (const { kind, file } of names) {
    const unfinished = join(work, file);
    await runOrThrow(nfpm, ['package', '--config', config, '--packager', kind, '--target', unfinished], {
      env,
      stdin: '',
    });
    await rename(unfinished, join(directory, file));
  }
  return names.map(({ file }) => file);
}

/** https://nfpm.goreleaser.com/docs/configuration/ */
function packageConfig(arch: Architecture, { version, createdAt }: ReleaseFacts, work: string): object {
  const mtime = createdAt.toISOString();
  const file = (source: string, path: string, mode: number): object => ({
    src: source,
    dst: path,
    file_info: { mode, mtime },
  });
  const link = (target: string, path: string): object => ({
    src: target,
    dst: path,
    type: 'symlink',
    file_info: { mtime },
  });
  return {
    name,
    arch: goArchitectures[arch],
    platform: 'linux',
    version,
    section: 'admin',
    priority: 'optional',
    maintainer: 'polycloud',
    description: 'Registry logins for the kubelet on AWS, Azure, Google Cloud and bare metal.',
    license: 'Apache-2.0',
    mtime,
    contents: [
      // The kubelet starts the front end by the name in its configuration.
      file(executablePath(frontEndName, arch), `${installedDirectory}/${name}`, 0o755),
      file(executablePath(name, arch), `${installedDirectory}/${name}-full`, 0o755),
      ...podNames.map((pod) => link(name, `${installedDirectory}/${pod}`)),
      link(`${installedDirectory}/${name}-full`, `/usr/bin/${name}`),
      // The agent, which runs the broker of the host.
      file(executablePath('polycloud-node-agent', arch), agentPath, 0o755),
      ...[brokerSocketUnit, brokerServiceUnit].map((unit) => file(join(work, unit), `${unitDirectory}/${unit}`, 0o644)),
      file(join(projectDirectory, 'LICENSE'), `/usr/share/doc/${name}/copyright`, 0o644),
      file(join(work, 'notices.txt'), `/usr/share/doc/${name}/third-party-notices.txt`, 0o644),
    ],
    scripts: { postinstall: join(work, 'afterInstall'), preremove: join(work, 'beforeRemove') },
    overrides: {
      deb: { depends: ['libc6 (>= 2.28)', 'libgcc-s1 | libgcc1', 'libstdc++6 (>= 6)'] },
      rpm: { depends: ['glibc >= 2.28', 'libgcc', 'libstdc++'] },
    },
    rpm: { group: 'System Environment/Base', buildhost: 'polycloud' },
  };
}
