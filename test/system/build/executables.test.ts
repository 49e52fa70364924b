import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Architecture } from '../../../build/architecture.ts';
import { architectures } from '../../../build/architecture.ts';
import { highestVersion, readDynamicDependencies } from '../../../build/images/elf.ts';
import { commandPrefix, emulationPackages } from '../../../build/executables/emulation.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { programs } from '../../../build/executables/programs.ts';
import { projectDirectory } from '../../../build/project.ts';
import type { RunFileResult } from './run-file.ts';
import { machines, readElfHeader } from './elf-header.ts';
import { runFile } from './run-file.ts';

const loaders: Readonly<Record<Architecture, string>> = { x64: 'ld-linux-x86-64.so.2', arm64: 'ld-linux-aarch64.so.1' };
const interpreters: Readonly<Record<Architecture, string>> = {
  x64: `/lib64/${loaders.x64}`,
  arm64: `/lib/${loaders.arm64}`,
};
const libraries = ['libc.so.6', 'libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libstdc++.so.6'];
// Debian 10, Ubuntu 18.10, RHEL 8 and Amazon Linux 2023 have these or newer ones.
const newestVersions = { GLIBC: '2.28', GLIBCXX: '3.4.21', CXXABI: '1.3.11' };

const { version } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };

for (const arch of architectures) {
  for (const { name } of programs) {
    const file = executablePath(name, arch);

    await t.test(`${name} for ${arch} needs these libraries of its host and no newer ones`, async (t) => {
      const needs = await readDynamicDependencies(file);
      t.strictSame(needs.libraries, [...libraries, loaders[arch]].toSorted());
      const versions = Object.keys(newestVersions).map((key) => [key, highestVersion(needs.symbolVersions, key)]);
      t.strictSame(Object.fromEntries(versions), newestVersions);
    });

    await t.test(`${name} for ${arch} is for its machine, and asks for the loader of its distributions`, async (t) => {
      t.strictSame(await readElfHeader(file), { machine: machines[arch], interpreter: interpreters[arch] });
    });

    await t.test(`${name} for ${arch} does not contain the path of its build`, async (t) => {
      t.notOk((await readFile(file)).includes(projectDirectory));
    });

    const prefix = commandPrefix(arch);
    const skip = prefix === undefined && `apt-get install ${emulationPackages(arch).join(' ')}`;
    await t.test(`${name} for ${arch} starts`, { skip }, async (t) => {
      const answer = await runHere([...(prefix ?? []), file, '--version']);
      t.match(answer, { code: 0, stderr: '' });
      const commit = '(?:none|[0-9a-f]{12}(?:\\+changes)?)';
      t.match(answer.stdout, new RegExp(`^${name} ${version} commit ${commit} Node ${process.versions.node}\n$`));
    });

    await t.test(`${name} for ${arch} reports wrong arguments`, { skip }, async (t) => {
      const answer = await runHere([...(prefix ?? []), file, '--bogus']);
      const stderr = `${name}: unknown argument "--bogus"; hint: see ${name} --help\n`;
      t.strictSame(answer, { code: 2, stdout: '', stderr });
    });
  }
}

await t.test('polycloud-node-agent reports what it needs', async (t) => {
  const name = 'polycloud-node-agent';
  const answer = await runHere([executablePath(name, process.arch as Architecture)]);
  const stderr =
    `${name}: neither --node-name nor NODE_NAME is set; ` +
    'hint: in a pod set NODE_NAME from the field spec.nodeName\n';
  t.strictSame(answer, { code: 2, stdout: '', stderr });
});

await t.test('polycloud-node-agent has no status where none runs', async (t) => {
  const name = 'polycloud-node-agent';
  const file = executablePath(name, process.arch as Architecture);
  const answer = await runHere([file, 'status', '--json', '--status-socket', '/nowhere/agent.sock']);
  const stderr =
    `${name}: no agent answers at /nowhere/agent.sock; ` +
    'hint: check that the agent runs, and use its --status-socket\n';
  t.strictSame(answer, { code: 1, stdout: '', stderr });
});

await t.test('polycloud-ccm reports what it needs', async (t) => {
  const answer = await runHere([executablePath('polycloud-ccm', process.arch as Architecture)]);
  const stderr = 'polycloud-ccm: --cloud-provider names no cloud; hint: give it, for example aws,static\n';
  t.strictSame(answer, { code: 2, stdout: '', stderr });
});

await t.test("polycloud-ccm prints what replaces a vendor's cloud-config", async (t) => {
  const cloudConfig = join(
    t.testdir({ 'gce.conf': '[global]\nproject-id = lab-project\nmultizone = true\n' }),
    'gce.conf',
  );
  const file = executablePath('polycloud-ccm', process.arch as Architecture);
  const answer = await runHere([file, '--cloud-provider', 'gcp', '--cloud-config', cloudConfig]);
  t.match(answer, { code: 1, stdout: '', stderr: /needs these lines[^]*\ngcp:\n[^]*projectId: lab-project\n/ });
});

await t.test('polycloud-ccm does not wait for a kubeconfig that is not there', async (t) => {
  const file = executablePath('polycloud-ccm', process.arch as Architecture);
  const answer = await runHere([file, '--cloud-provider', 'aws', '--kubeconfig', '/nowhere/config']);
  const stderr =
    'polycloud-ccm: --kubeconfig names /nowhere/config, which does not exist; ' +
    'hint: give the right file, or leave it out inside a cluster\n';
  t.strictSame(answer, { code: 1, stdout: '', stderr });
});

function runHere([file = '', ...args]: readonly string[]): Promise<RunFileResult> {
  return runFile(file, { args, env: {} });
}
