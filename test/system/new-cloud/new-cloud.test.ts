import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { findCompiler } from '../../../build/executables/compiler.ts';
import { compileFrontEnd } from '../../../build/executables/front-end.ts';
import { projectDirectory } from '../../../build/project.ts';
import { run } from '../../../build/run.ts';
import { sharedControlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { freePort } from '../../lab/control-plane/free-port.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { capabilityTests } from '../../support/capability-tests.ts';
import { copyRepository } from '../../support/copy-repository.ts';
import { isInitialized, register, untilNode } from '../api-server/node-agent/nodes.ts';
import { release, runHelm } from '../../lab/helm/chart.ts';

// A cloud is added to a copy of the repository as CONTRIBUTING describes it. Then every part that depends on the list of
// clouds has to know it. The credential provider is built and run as an executable. Agent and controller, which are built
// in the same way, run from their sources.
t.setTimeout(300_000);
const root = join(t.testdir(), 'repository');
const providerName = 'polycloud-credential-provider';
const provider = join(root, `dist/linux-${hostArchitecture()}`, providerName);
await addToyCloud();

await t.test('the generated files follow, and the checks pass', async (t) => {
  const before = await inRoot(['build/check.ts', '--only', 'generated']);
  t.equal(before.code, 1, 'what is not generated yet is found');
  for (const path of [
    'schemas/generated/configs.ts',
    'charts/polycloud/values.schema.json',
    'docs/guides/broker.md',
    'README.md',
  ]) {
    t.match(before.stdout, `${path}: is not up to date`);
  }
  t.match(await inRoot(['build/generated/generate.ts']), { code: 0, stderr: '' });
  const after = await inRoot(['build/check.ts', '--only', 'generated,structure,types']);
  t.equal(after.code, 0, after.stdout);
});

await t.test('the build bundles it for each program, in chunks of its own', async (t) => {
  const script = `
    import { bundleChunks } from './build/executables/bundle.ts';
    for (const main of ['credential-provider/main.ts', 'node-agent/main.ts', 'ccm/main.ts']) {
      console.log([...(await bundleChunks(main, {})).keys()].some((name) => /^toy-\\w{8}\\.js$/.test(name)));
    }
  `;
  const { stdout, stderr } = await inRoot(['--input-type=module', '--eval', script]);
  t.equal(stdout, 'true\ntrue\ntrue\n', stderr);
});

await t.test('the credential provider is built with it', async (t) => {
  const script = `
    import { resolve } from 'node:path';
    import { createBuildContext } from './build/executables/build-context.ts';
    import { buildConstants } from './build/executables/bundle.ts';
    import { executablePath, makeExecutable } from './build/executables/executable.ts';
    import { programs } from './build/executables/programs.ts';
    import { makeWorkDirectory } from './build/work-directory.ts';
    const [arch, program] = [process.arch, programs.find(({ name }) => name === '${providerName}')];
    const context = await createBuildContext(await makeWorkDirectory(resolve('dist')), [arch], console.error);
    const file = executablePath(program.name, arch);
    const { codeCacheBytes } = await makeExecutable({ program, arch, constants: buildConstants('none'), file }, context);
    console.log(codeCacheBytes > 0);
  `;
  const { stdout, stderr } = await inRoot(['--input-type=module', '--eval', script], { env: buildVariables() });
  t.equal(stdout, 'true\n', stderr);
});

await t.test('the reference pages and the guide list it', async (t) => {
  t.match(await readCopied('docs/reference/support.md'), /^\| toy +\| yes +\| yes +\| yes +\| yes/m);
  t.match(await readCopied('README.md'), /^\| `toy` +\| beta +\| beta +\| – +\| beta/m);
  t.match(await readCopied('docs/reference/configuration.md'), /^ {2}## The account that logs in\.\n {2}account: /m);
  t.match(
    await readCopied('docs/guides/broker.md'),
    /^- \*\*toy\*\*\n {2}- variables: `TOY_\*`\n {2}- files in the home directory: `\.toy\/login`$/m,
  );
});

await t.test('the credential provider logs in to its registries', async (t) => {
  const config = join(t.testdir({ 'config.yaml': 'toy: { account: bears }\n' }), 'config.yaml');
  const request = requestFor('north.toy.example/app');
  const byDefault = await inRoot([], { program: provider, stdin: request });
  t.match(JSON.parse(byDefault.stdout), { auth: { 'north.toy.example': { username: 'toys', password: 'toy' } } });
  const configured = await inRoot(['--config', config], { program: provider, stdin: request });
  t.match(JSON.parse(configured.stdout), { auth: { 'north.toy.example': { username: 'bears' } } });
  const ofPod = await inRoot([], {
    program: provider,
    stdin: requestFor('north.toy.example/app', { serviceAccountToken: 'a.b.c' }),
  });
  t.match(JSON.parse(ofPod.stdout), { auth: { 'north.toy.example': { username: 'pod of toys' } } });
});

await t.test('its configuration is checked, and the vendor’s is refused', async (t) => {
  const files = t.testdir({
    'unknown.yaml': 'toy: { acount: bears }\n',
    'vendor.yaml': 'toyCloud: true\n',
    'federation.yaml':
      'registries: [{ match: a.azurecr.io, federation: { from: toy, audience: a }, role: { example.com/id: i } }]\n',
  });
  const ask = async (file: string): ReturnType<typeof inRoot> =>
    inRoot(['--config', join(files, file)], { program: provider, stdin: requestFor('other.example/app') });
  t.match(await ask('unknown.yaml'), { code: 1, stderr: /line 1: toy\.acount/ });
  t.match(await ask('vendor.yaml'), { code: 1, stderr: /the toy cloud provider, .*`toy`/s });
  t.match(await ask('federation.yaml'), { code: 0 });
});

await t.test('config print has its entries for nodes and pods', async (t) => {
  const printed = await inRoot(['config', 'print', '--pods', '--cloud', 'toy'], { program: provider });
  t.equal(printed.code, 0, printed.stderr);
  t.match(printed.stdout, /\*\.toy\.example/);
  t.match(printed.stdout, /name: polycloud-credential-provider-toy-pod/);
});

await t.test('emulated providers do not serve hosts that look like its registries', async (t) => {
  const program = join(t.testdir(), 'ecr-credential-provider');
  await symlink(provider, program);
  const { stdout } = await inRoot(['get-credentials'], { program, stdin: requestFor('mirror.toy-example.com/app') });
  t.match(JSON.parse(stdout), { auth: {} });
});

const compiler = findCompiler(hostArchitecture());
await t.test('the front end has its variables and files', { skip: compiler === undefined }, async (t) => {
  const file = join(t.testdir(), 'front-end');
  await compileFrontEnd(compiler ?? '', join(root, 'credential-provider/front/front-end.c'), file);
  const program = await readFile(file, 'latin1');
  t.ok(program.includes('\0TOY_\0'));
  t.ok(program.includes('\0/.toy/login\0'));
});

await t.test('the chart takes it', requires(await findHelm()), async (t) => {
  const chart = join(root, 'charts/polycloud');
  const args = ['template', release.name, chart, '--namespace', release.namespace];
  const { code, stdout, stderr } = await runHelm(args, { clouds: ['toy'], agent: { cloud: 'toy' } });
  t.equal(code, 0, stderr);
  t.match(stdout, /\[[^\]\n]*'toy\.example\/'[^\]\n]*\]\.exists/);
  t.match(await runHelm(args, { clouds: ['toys'] }), { code: 1, stderr: /clouds/ });
});

await t.test('agent and controller initialise its nodes', requires(await findPrograms()), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  const machines = Object.fromEntries(['by-agent', 'by-controller'].map((name) => [name, machineOf(name)]));
  const directory = t.testdir({ 'machines.json': JSON.stringify(machines) });
  const config = join(directory, 'config.yaml');
  await writeFile(config, `toy: { machinesFile: ${join(directory, 'machines.json')} }\n`);
  const kubeconfig = await plane.kubeconfigFor('toy', ['system:masters']);
  // The path of a socket must be short.
  const sockets = await mkdtemp(join(tmpdir(), 'new-cloud-'));
  t.teardown(() => rm(sockets, { recursive: true }));
  const agentFlags = ['--cloud', 'plaything', '--config', config, '--secure-port', '0', '--broker-socket', 'none'];
  const controllerFlags = ['--cloud-provider', 'plaything', '--cloud-config', config, '--bind-address', '127.0.0.1'];
  const programs = [
    ['by-agent', 'node-agent/main.ts', ...agentFlags, '--status-socket', join(sockets, 'status.sock')],
    ['by-controller', 'ccm/main.ts', ...controllerFlags, '--secure-port', String(await freePort())],
  ] as const;
  for (const [name, ...args] of programs) {
    await register({ plane }, { name });
    const command = ['-i', `NODE_NAME=${name}`, process.execPath, ...args, '--kubeconfig', kubeconfig];
    const child = spawn('/usr/bin/env', command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'close');
    try {
      const { spec, metadata } = await untilNode({ plane }, name, 'is initialised', isInitialized);
      t.equal(spec.providerID, `toy://${name}`);
      t.match(metadata.labels, { 'topology.kubernetes.io/zone': 'attic', 'toy.example/shelf': '3' });
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  }
});

/** All that is done by hand: a folder, two files, two lines of the list, and its tests, of which only the names matter here. */
async function addToyCloud(): Promise<void> {
  await copyRepository(root);
  for (const { file, suite = '' } of Object.values(capabilityTests)) {
    const test = join(root, 'test/clouds/toy', file);
    await mkdir(dirname(test), { recursive: true });
    await writeFile(test, `export {}; // ${suite}\n`);
  }
  await cp(join(projectDirectory, 'test/fixtures/toy-cloud'), root, { recursive: true });
  const list = join(root, 'clouds/index.ts');
  const entry =
    "{ ...toy, load: async (r, { toy: config }) => (await import('./toy/index.ts')).createToy({ ...r, config }) },";
  const text = await readFile(list, 'utf8');
  const withEntry = text.replace('\n  {\n    ...staticTraits,', `\n  ${entry}\n  {\n    ...staticTraits,`);
  if (withEntry === text) throw new Error('clouds/index.ts has no place for an entry');
  await writeFile(list, `import { traits as toy } from './toy/traits.ts';\n${withEntry}`);
}

function machineOf(name: string): object {
  return {
    providerId: `toy://${name}`,
    zone: 'attic',
    addresses: [{ type: 'InternalIP', address: '10.9.0.1' }],
    labels: { 'toy.example/shelf': '3' },
  };
}

function requestFor(image: string, more: object = {}): string {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  return JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image, ...more });
}

function readCopied(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

interface InRootOptions {
  /** By default Node.js. */
  readonly program?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program in the copy of the repository. */
function inRoot(
  args: readonly string[],
  { program = process.execPath, stdin = '', env = { HOME: '/nonexistent' } }: InRootOptions = {},
): ReturnType<typeof run> {
  const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  // tap gives every process that a test starts variables of its own.
  return run('/usr/bin/env', ['-i', ...variables, program, ...args], { cwd: root, stdin });
}

/** With these the build finds its tools and its cache. */
function buildVariables(): NonNullable<InRootOptions['env']> {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  return { PATH, HOME, XDG_CACHE_HOME };
}
