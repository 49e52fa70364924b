import { spawn } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { architectures, hostArchitecture } from '../../build/architecture.ts';
import { ensureDebianPackages } from '../support/debian-packages.ts';
import { emulationPackages } from '../../build/executables/emulation.ts';
import { compilerPackage } from '../../build/executables/compiler.ts';
import { projectDirectory } from '../../build/project.ts';
import { preparePeerProviders } from '../long/peers/compat/peer-programs.ts';
import { preparePrograms } from '../lab/control-plane/find-programs.ts';
import { prepareAwsController } from '../long/peers/ccm/aws-controller.ts';
import { prepareAzurePrograms } from '../long/peers/ccm/azure-programs.ts';
import { prepareOpenStack } from '../lab/openstack/find-openstack.ts';
import { prepareActionlint } from '../lab/actionlint/find-actionlint.ts';
import { prepareVcsim } from '../lab/vcsim/find-vcsim.ts';
import { preparePromql } from '../lab/prometheus/find-promql.ts';
import { prepareHelm } from '../lab/helm/find-helm.ts';
import type { Support } from '../lab/requires.ts';
import { nodePackages } from '../lab/node/support.ts';
import { systemdPackages } from '../lab/node/systemd.ts';

/** Something that has to be there before the tests start, because several of them would otherwise make it at once. */
interface Preparation {
  readonly name: string;
  readonly neededBy: readonly string[];
  prepare(say: LogLine, paths: readonly string[]): Promise<void>;
}

type LogLine = (line: string) => void;

/** These look at the executables for all architectures. */
const withOtherArchitecture = ['test/system/build'];

const realParts = ['test/system', 'test/long'];
const withExecutables = [
  ...['api-server', 'build', 'charts', 'lab/node', 'node', 'programs', 'smoke'].map((name) => `test/system/${name}`),
  'test/long',
];
const withApiServer = [
  ...['api-server', 'charts', 'lab', 'new-cloud', 'node', 'smoke'].map((name) => `test/system/${name}`),
  'test/long',
];

/** In this order: with the emulators the executables of the other architecture get their code cache. */
const preparations: readonly Preparation[] = [
  { name: 'Debian packages', neededBy: realParts, prepare: prepareDebianPackages },
  { name: 'executables', neededBy: withExecutables, prepare: prepareExecutables },
  { name: 'control plane', neededBy: withApiServer, prepare: reportingSkips(preparePrograms) },
  {
    name: 'Helm',
    neededBy: [
      ...['charts', 'new-cloud', 'node/chart', 'smoke'].map((name) => `test/system/${name}`),
      ...['charts', 'release', 'story'].map((name) => `test/long/${name}`),
    ],
    prepare: reportingSkips(prepareHelm),
  },
  { name: 'actionlint', neededBy: ['test/system/build'], prepare: reportingSkips(prepareActionlint) },
  { name: 'the engine of Prometheus', neededBy: ['test/long/monitoring'], prepare: reportingSkips(preparePromql) },
  { name: 'the vCenter simulator', neededBy: ['test/long/vsphere'], prepare: reportingSkips(prepareVcsim) },
  { name: 'OpenStack', neededBy: ['test/long/openstack'], prepare: reportingSkips(prepareOpenStack) },
  { name: 'the controller of AWS', neededBy: ['test/long/peers/ccm'], prepare: reportingSkips(prepareAwsController) },
  { name: 'the programs of Azure', neededBy: ['test/long/peers/ccm'], prepare: reportingSkips(prepareAzurePrograms) },
  {
    name: 'the providers of others',
    neededBy: ['test/long/peers/compat'],
    prepare: reportingSkips(preparePeerProviders),
  },
];

/** Packages by the folders that need them. */
const debianPackages: readonly { readonly names: readonly string[]; readonly neededBy: readonly string[] }[] = [
  { names: ['iproute2'], neededBy: realParts },
  {
    names: [compilerPackage(hostArchitecture()), 'libc6-dev'],
    neededBy: [...withExecutables, 'test/system/new-cloud'],
  },
  { names: systemdPackages, neededBy: ['test/system/node', 'test/long'] },
  { names: nodePackages, neededBy: ['test/system/build', 'test/system/lab', 'test/system/node', 'test/long'] },
  { names: ['musl'], neededBy: ['test/system/programs/front'] },
  { names: ['rpm'], neededBy: ['test/long/release'] },
  { names: ['python3-venv'], neededBy: ['test/long/peers'] },
  { names: ['libfaketime'], neededBy: ['test/long/chaos'] },
  {
    names: [...architectures.flatMap(emulationPackages), ...architectures.map(compilerPackage)],
    neededBy: withOtherArchitecture,
  },
];

/** Makes what a batch of files needs: each thing once, for all batches, and not before the first that needs it. */
export function createPreparer(allFiles: readonly string[], log: LogLine): (files: readonly string[]) => Promise<void> {
  const allPaths = allFiles.map(fromRoot);
  const prepared = new Set<Preparation>();
  return async (files) => {
    const paths = files.map(fromRoot);
    for (const each of preparations) {
      if (prepared.has(each) || !areNeeded(each.neededBy, paths)) continue;
      prepared.add(each);
      const startedAtMs = performance.now();
      log(`preparing ${each.name}`);
      await each.prepare(log, allPaths);
      log(`prepared ${each.name} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
    }
  };
}

function fromRoot(file: string): string {
  return relative(projectDirectory, resolve(projectDirectory, file));
}

function areNeeded(folders: readonly string[], paths: readonly string[]): boolean {
  return folders.some((folder) => paths.some((path) => path === folder || path.startsWith(`${folder}/`)));
}

/** What cannot be had is no failure here: the tests that need it say so and are skipped. */
async function prepareDebianPackages(log: LogLine, paths: readonly string[]): Promise<void> {
  const needed = debianPackages.filter(({ neededBy }) => areNeeded(neededBy, paths));
  const names = new Set(needed.flatMap((each) => each.names));
  const { remedy } = await ensureDebianPackages([...names], log);
  if (remedy !== undefined) log(`some tests will be skipped without: ${remedy}`);
}

function reportingSkips(prepare: (log: LogLine) => Promise<Support>): (log: LogLine) => Promise<void> {
  return async (log) => {
    const support = await prepare(log);
    if (!support.available) log(`some tests will be skipped: ${support.reason}`);
  };
}

async function prepareExecutables(_say: LogLine, paths: readonly string[]): Promise<void> {
  const script = join(projectDirectory, 'build/build.ts');
  const args = areNeeded(withOtherArchitecture, paths) ? [] : ['--arch', hostArchitecture()];
  const child = spawn(process.execPath, [script, ...args], { cwd: projectDirectory, stdio: 'inherit' });
  const code = await new Promise((onExit, reject) => {
    child.once('error', reject);
    child.once('close', onExit);
  });
  if (code !== 0) throw new Error('the executables could not be built; the reason stands above');
}
