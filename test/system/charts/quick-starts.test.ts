import { lstat, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { hostArchitecture } from '../../../build/architecture.ts';
import { projectDirectory } from '../../../build/project.ts';
import { documentedCommands } from '../../docs/shell-commands.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import { requires } from '../../lab/requires.ts';
import { runHelm } from '../../lab/helm/chart.ts';
import type { Manifest } from '../../lab/helm/chart.ts';

const readme = await readFile(join(projectDirectory, 'README.md'), 'utf8');

// The commands as they are; `ssh` and `scp` stay on this machine, and the executable is built already.
const onThisMachine = `set -e
npm() { :; }
ssh() { shift; "$@"; }
scp() { cp "$1" "\${2#*:}"; }
`;

await t.test('the README replaces the credential provider of a node', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'quick-start-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'ecr-credential-provider'), 'of the vendor');
  const commands = blockOf('Replace the credential provider of a node').replaceAll('x64', hostArchitecture());
  const { code, stdout, stderr } = await runCommand('/bin/bash', ['-c', `${onThisMachine}${commands}`], {
    env: { PATH: process.env['PATH'] ?? '', NODE: 'worker-1', BIN_DIR: directory, IMAGE: 'docker.io/library/nginx' },
    input: '',
    timeoutMs: 60_000,
  });
  t.equal(code, 0, stderr);
  // `doctor` is the last command. Public images need no login.
  t.match(stdout, 'docker.io/library/nginx');
  t.equal(await readlink(join(directory, 'ecr-credential-provider')), 'polycloud-credential-provider');
  t.equal(await readFile(join(directory, 'ecr-credential-provider~'), 'utf8'), 'of the vendor');
  t.ok((await lstat(join(directory, 'polycloud-credential-provider'))).mode & 0o100, 'it can be started');
});

await t.test('the README installs the chart on bare metal', requires(await findHelm()), async (t) => {
  const commands = documentedCommands(`\`\`\`sh\n${blockOf('Bare metal with an inventory')}\`\`\`\n`);
  const install = commands.find(({ words: [file, verb] }) => file === 'helm' && verb === 'install')?.words ?? [];
  const args = install.slice(2).map((word) => word.replace('$REGISTRY', 'registry.example.com/polycloud'));
  const { code, stdout, stderr } = await runHelm(['template', ...args.filter((each) => each !== '--wait')]);
  t.equal(code, 0, stderr);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  t.ok(manifests.some(({ kind }) => kind === 'DaemonSet'));
  t.match(stdout, 'image: "registry.example.com/polycloud/polycloud-ccm:0.1.0"');
  t.match(stdout, '--dry-run');
});

function blockOf(title: string): string {
  const [, section = ''] = readme.split(`### ${title}\n`);
  const [, block = ''] = section.split('```sh\n');
  return block.split('```', 1)[0] ?? '';
}
