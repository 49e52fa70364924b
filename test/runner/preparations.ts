import { spawn } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { architectures } from '../../build/architecture.ts';
import { ensureDebianPackages } from '../../build/debian-packages.ts';
import { emulationPackages } from '../../build/emulation.ts';
import { compilerPackage } from '../../build/front-end.ts';
import { projectDirectory } from '../../build/project.ts';
import { preparePeerProviders } from '../long/peers/drop-in/peer-programs.ts';
import { preparePrograms } from '../lab/control-plane/find-programs.ts';
import { prepareAwsController } from '../long/peers/ccm/aws-controller.ts';
import { prepareHelm } from '../lab/helm/find-helm.ts';
import { nodePackages } from '../lab/node/support.ts';

/** Something that has to be there before the tests start, because several of them would otherwise make it at once. */
interface Preparation {
  readonly name: string;
  /** Folders of tests, or files. */
  readonly neededBy: readonly string[];
  prepare(say: (line: string) => void): Promise<void>;
}

/** In this order: with the emulators the executables of the other architecture get their code cache. */
const preparations: readonly Preparation[] = [
  { name: 'Debian packages', neededBy: ['test/system', 'test/long'], prepare: prepareDebianPackages },
  { name: 'executables', neededBy: ['test/system', 'test/long'], prepare: prepareExecutables },
  {
    name: 'control plane',
    neededBy: ['test/system/api-server', 'test/system/charts', 'test/system/lab', 'test/system/node', 'test/long'],
    prepare: prepareControlPlane,
  },
  { name: 'Helm', neededBy: ['test/system/charts', 'test/system/node/chart'], prepare: prepareHelmItself },
  { name: 'the controller of AWS', neededBy: ['test/long/peers/ccm'], prepare: prepareNeighbour },
  { name: 'the providers of others', neededBy: ['test/long/peers/drop-in'], prepare: prepareOthersProviders },
];
/** For network namespaces, Python's own environments, the other architecture, nodes, and the front end. */
const debianPackages = [
  'iproute2',
  'python3-venv',
  ...architectures.flatMap(emulationPackages),
  ...nodePackages,
  'libc6-dev',
  ...architectures.map(compilerPackage),
];

/** Makes what the named files need, or all of it when none is named. */
export async function prepareFor(files: readonly string[], say: (line: string) => void): Promise<void> {
  const paths = files.map((file) => relative(projectDirectory, resolve(projectDirectory, file)));
  const needed = preparations.filter(({ neededBy }) => {
    return files.length === 0 || neededBy.some((folder) => paths.some((path) => areNested(folder, path)));
  });
  for (const { name, prepare } of needed) {
    const startedAtMs = performance.now();
    say(`preparing ${name}`);
    await prepare(say);
    say(`prepared ${name} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  }
}

/** Is one of them inside of the other, or the same? */
function areNested(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** What cannot be had is no failure here: the tests that need it say so and are skipped. */
async function prepareDebianPackages(say: (line: string) => void): Promise<void> {
  const { remedy } = await ensureDebianPackages(debianPackages, say);
  if (remedy !== undefined) say(`some tests will be skipped without: ${remedy}`);
}

async function prepareControlPlane(say: (line: string) => void): Promise<void> {
  const support = await preparePrograms(say);
  if (!support.available) say(`some tests will be skipped: ${support.reason}`);
}

async function prepareHelmItself(say: (line: string) => void): Promise<void> {
  const support = await prepareHelm(say);
  if (!support.available) say(`some tests will be skipped: ${support.reason}`);
}

async function prepareNeighbour(say: (line: string) => void): Promise<void> {
  const support = await prepareAwsController(say);
  if (!support.available) say(`some tests will be skipped: ${support.reason}`);
}

async function prepareOthersProviders(say: (line: string) => void): Promise<void> {
  const support = await preparePeerProviders(say);
  if (!support.available) say(`some tests will be skipped: ${support.reason}`);
}

async function prepareExecutables(): Promise<void> {
  const script = join(projectDirectory, 'build/build.ts');
  const child = spawn(process.execPath, [script], { cwd: projectDirectory, stdio: 'inherit' });
  const code = await new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', settle);
  });
  if (code !== 0) throw new Error('the executables could not be built; the reason stands above');
}
