import { spawn } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { architectures, hostArchitecture } from '../../build/architecture.ts';
import { ensureDebianPackages } from '../../build/debian-packages.ts';
import { emulationPackages } from '../../build/emulation.ts';
import { compilerPackage } from '../../build/front-end.ts';
import { projectDirectory } from '../../build/project.ts';
import { preparePeerProviders } from '../long/peers/drop-in/peer-programs.ts';
import { preparePrograms } from '../lab/control-plane/find-programs.ts';
import { prepareAwsController } from '../long/peers/ccm/aws-controller.ts';
import { prepareHelm } from '../lab/helm/find-helm.ts';
import type { Support } from '../lab/needing.ts';
import { nodePackages } from '../lab/node/support.ts';

/** Something that has to be there before the tests start, because several of them would otherwise make it at once. */
interface Preparation {
  readonly name: string;
  readonly neededBy: readonly string[];
  prepare(say: Say, paths: readonly string[]): Promise<void>;
}

type Say = (line: string) => void;

/** These look at the executables for all architectures. */
const withOtherArchitecture = ['test/system/build'];

const real = ['test/system', 'test/long'];
const withExecutables = [
  ...['api-server', 'build', 'charts', 'lab/node', 'node', 'programs', 'smoke'].map((name) => `test/system/${name}`),
  'test/long',
];
const withApiServer = [
  ...['api-server', 'charts', 'lab', 'node', 'smoke'].map((name) => `test/system/${name}`),
  'test/long',
];

/** In this order: with the emulators the executables of the other architecture get their code cache. */
const preparations: readonly Preparation[] = [
  { name: 'Debian packages', neededBy: real, prepare: prepareDebianPackages },
  { name: 'executables', neededBy: withExecutables, prepare: prepareExecutables },
  { name: 'control plane', neededBy: withApiServer, prepare: saying(preparePrograms) },
  {
    name: 'Helm',
    neededBy: ['test/system/charts', 'test/system/node/chart', 'test/system/smoke'],
    prepare: saying(prepareHelm),
  },
  { name: 'the controller of AWS', neededBy: ['test/long/peers/ccm'], prepare: saying(prepareAwsController) },
  { name: 'the providers of others', neededBy: ['test/long/peers/drop-in'], prepare: saying(preparePeerProviders) },
];

/** Packages by the folders that need them. */
const debianPackages: readonly { readonly names: readonly string[]; readonly neededBy: readonly string[] }[] = [
  { names: ['iproute2'], neededBy: real },
  { names: [compilerPackage(hostArchitecture()), 'libc6-dev'], neededBy: withExecutables },
  { names: nodePackages, neededBy: ['test/system/build', 'test/system/lab', 'test/system/node', 'test/long'] },
  { names: ['python3-venv'], neededBy: ['test/long/peers'] },
  { names: ['libfaketime'], neededBy: ['test/long/chaos'] },
  {
    names: [...architectures.flatMap(emulationPackages), ...architectures.map(compilerPackage)],
    neededBy: withOtherArchitecture,
  },
];

/** Makes what a batch of files needs: each thing once, for all batches, and not before the first that needs it. */
export function createPreparer(allFiles: readonly string[], say: Say): (files: readonly string[]) => Promise<void> {
  const allPaths = allFiles.map(fromRoot);
  const prepared = new Set<Preparation>();
  return async (files) => {
    const paths = files.map(fromRoot);
    for (const each of preparations) {
      if (prepared.has(each) || !areNeeded(each.neededBy, paths)) continue;
      prepared.add(each);
      const startedAtMs = performance.now();
      say(`preparing ${each.name}`);
      await each.prepare(say, allPaths);
      say(`prepared ${each.name} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
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
async function prepareDebianPackages(say: Say, paths: readonly string[]): Promise<void> {
  const needed = debianPackages.filter(({ neededBy }) => areNeeded(neededBy, paths));
  const names = new Set(needed.flatMap((each) => each.names));
  const { remedy } = await ensureDebianPackages([...names], say);
  if (remedy !== undefined) say(`some tests will be skipped without: ${remedy}`);
}

function saying(prepare: (say: Say) => Promise<Support>): (say: Say) => Promise<void> {
  return async (say) => {
    const support = await prepare(say);
    if (!support.available) say(`some tests will be skipped: ${support.reason}`);
  };
}

async function prepareExecutables(_say: Say, paths: readonly string[]): Promise<void> {
  const script = join(projectDirectory, 'build/build.ts');
  const args = areNeeded(withOtherArchitecture, paths) ? [] : ['--arch', hostArchitecture()];
  const child = spawn(process.execPath, [script, ...args], { cwd: projectDirectory, stdio: 'inherit' });
  const code = await new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', settle);
  });
  if (code !== 0) throw new Error('the executables could not be built; the reason stands above');
}
