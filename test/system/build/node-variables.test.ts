import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import { join } from 'node:path';
import t from 'tap';
import type { Architecture } from '../../../build/architecture.ts';
import { findCompiler } from '../../../build/executables/compiler.ts';
import { executablePath, makeExecutable } from '../../../build/executables/executable.ts';
import { programs } from '../../../build/executables/programs.ts';
import { createBuildContext } from '../../../build/executables/build-context.ts';
import { createAuthority } from '../../lab/authority.ts';
import { runFile } from './run-file.ts';

interface NodeVariable {
  readonly name: string;
  /** A value that would do something. */
  readonly value: string;
  /** Node reads it before any JavaScript. */
  readonly isReadEarly?: true;
}

const directory = t.testdir();
const authority = await createAuthority(directory);
const traces = join(directory, 'traces');
const arch = process.arch as Architecture;
const withoutCompiler = findCompiler(arch) === undefined && 'what Node reads early takes a C compiler (Debian: gcc)';
const server = await startServer();

/** Every variable that Node 24 itself listens to and that changes what a program does; and what it would do. */
const variables: readonly NodeVariable[] = [
  // Any flag of Node's: `--require` loads code, a wrong one stops the start.
  { name: 'NODE_OPTIONS', value: '--bogus' },
  { name: 'NODE_OPTIONS', value: '--require=/nonexistent.cjs' },
  { name: 'NODE_OPTIONS', value: '--inspect=127.0.0.1:0' },
  // Trusts anybody.
  { name: 'NODE_TLS_REJECT_UNAUTHORIZED', value: '0' },
  // Trust that is not the host's.
  { name: 'NODE_EXTRA_CA_CERTS', value: authority.certificateFile },
  { name: 'NODE_USE_SYSTEM_CA', value: '1' },
  // Requests go through a proxy that we did not choose.
  { name: 'NODE_USE_ENV_PROXY', value: '1' },
  // Prints what is sent, secrets included.
  { name: 'NODE_DEBUG', value: 'net,tls,http,fs,module' },
  { name: 'NODE_DEBUG_NATIVE', value: 'mksnapshot,sea', isReadEarly: true },
  // Unrequested files.
  { name: 'NODE_V8_COVERAGE', value: join(traces, 'coverage'), isReadEarly: true },
  { name: 'NODE_REDIRECT_WARNINGS', value: join(traces, 'warnings') },
  { name: 'SSLKEYLOGFILE', value: join(traces, 'keys') },
  // Code and data from elsewhere.
  { name: 'NODE_COMPILE_CACHE', value: join(traces, 'compile-cache'), isReadEarly: true },
  { name: 'NODE_REPL_EXTERNAL_MODULE', value: '/nonexistent', isReadEarly: true },
  { name: 'NODE_PATH', value: '/nonexistent' },
  { name: 'NODE_ICU_DATA', value: '/nonexistent' },
  { name: 'OPENSSL_CONF', value: join(directory, 'not-a-configuration') },
  { name: 'OPENSSL_MODULES', value: '/nonexistent' },
  { name: 'OPENSSL_ENGINES', value: '/nonexistent' },
  // Make the process a child, worker or test process, which uses its descriptors differently.
  { name: 'NODE_CHANNEL_FD', value: '77' },
  { name: 'NODE_CHANNEL_FD', value: '0' },
  { name: 'NODE_CHANNEL_FD', value: 'no number', isReadEarly: true },
  { name: 'NODE_CHANNEL_SERIALIZATION_MODE', value: 'advanced' },
  { name: 'NODE_UNIQUE_ID', value: '1' },
  { name: 'NODE_CLUSTER_SCHED_POLICY', value: 'none' },
  { name: 'NODE_TEST_CONTEXT', value: 'child-v8' },
  { name: 'WATCH_REPORT_DEPENDENCIES', value: '1' },
  { name: 'NODE_INSPECT_RESUME_ON_START', value: '1' },
  // What is printed and found.
  { name: 'NODE_PENDING_DEPRECATION', value: '1' },
  { name: 'NODE_NO_WARNINGS', value: '1' },
  { name: 'NODE_PRESERVE_SYMLINKS', value: '1' },
  { name: 'UV_USE_IO_URING', value: '1' },
];

await writeFile(join(directory, 'not-a-configuration'), '[[[');
await symlink(await buildProbe(), join(directory, 'ecr-credential-provider'));
const quiet = { PROBE_PORT: String((server.address() as { port: number }).port) };
const distrusted = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
const seenByAll = {
  argv0: join(directory, 'ecr-credential-provider'),
  args: ['--one', 'two words'],
  stdin: 'the request',
};

t.teardown(() => server.close());

await t.test('the probe can tell: a host that trusts the server makes it trusted', async (t) => {
  t.equal((await runProbe({ ...quiet, SSL_CERT_FILE: authority.certificateFile })).seen.tls, 'trusted');
  t.equal((await runProbe(quiet)).seen.tls, distrusted);
});

for (const { name, value, isReadEarly } of variables) {
  await t.test(`${name}=${value} has no effect`, { skip: isReadEarly === true && withoutCompiler }, async (t) => {
    await mkdir(traces);
    const { seen, stderr } = await runProbe({ ...quiet, [name]: value });
    const { names, ...rest } = seen;
    t.strictSame(rest, { ...seenByAll, tls: distrusted });
    if (name !== 'SSLKEYLOGFILE') t.strictSame(names, ['PROBE_PORT'], 'nor do programs that we start see it');
    t.equal(stderr, '');
    t.strictSame(await filesBelow(traces), [], 'no file is left');
    await rm(traces, { recursive: true, force: true });
  });
}

for (const { name: program } of programs) {
  await t.test(`${program} --version prints the same with all of them`, async (t) => {
    const file = executablePath(program, arch);
    const usable = variables.filter(({ isReadEarly }) => !isReadEarly || !withoutCompiler);
    const env = Object.fromEntries(usable.map(({ name, value }) => [name, value]));
    const withAll = await runFile(file, { args: ['--version'], env });
    t.strictSame(withAll, await runFile(file, { args: ['--version'], env: {} }));
    t.equal(withAll.code, 0);
  });
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

async function buildProbe(): Promise<string> {
  const context = await createBuildContext(directory, [arch], (line) => t.comment(line));
  const program = { name: 'work-probe', main: 'test/build/executables/probe/main.ts', nodeFlags: [], trainingRuns: [] };
  const constants = { POLYCLOUD_BUILD: JSON.stringify({ version: '0', commit: '0' }) };
  const { file } = await makeExecutable({ program, arch, constants, file: join(directory, 'probe') }, context);
  return file;
}

async function startServer(): Promise<Server> {
  const { certificateFile, keyFile } = await authority.issue('server', ['localhost']);
  const tls = { cert: await readFile(certificateFile), key: await readFile(keyFile) };
  const listening = createServer(tls, (socket) => socket.on('error', () => undefined).end());
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  return listening;
}

interface Seen {
  readonly names: readonly string[];
  readonly argv0: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly tls: string;
}

async function runProbe(env: Readonly<Record<string, string>>): Promise<{ seen: Seen; stderr: string }> {
  const { args, argv0, stdin } = seenByAll;
  const { code, stdout, stderr } = await runFile(argv0, { args, stdin, env });
  if (code !== 0) throw new Error(`the probe ended with ${code}: ${stderr}`);
  return { seen: JSON.parse(stdout) as Seen, stderr };
}
