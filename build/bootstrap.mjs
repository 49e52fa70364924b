/**
 * `node build/bootstrap.mjs SCRIPT.ts [ARGUMENT]…`: runs a script of this repository under the one Node version that it
 * is written for, with exactly the packages of package-lock.json. The Node that runs this file may be any from 18 on, so
 * it is plain JavaScript and uses nothing but Node itself.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
const supportedArchitectures = ['x64', 'arm64'];
const progressEveryMs = 10_000;

try {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) throw new Error('usage: node build/bootstrap.mjs SCRIPT.ts [ARGUMENT]…');
  if (process.platform !== 'linux' || !supportedArchitectures.includes(process.arch)) {
    throw new Error(`works on Linux with x64 or arm64, and this is ${process.platform} with ${process.arch}`);
  }
  const pinnedNode = join(projectDirectory, `node_modules/node-linux-${process.arch}/bin/node`);
  if (!isInstalled(pinnedNode)) await installOnce(pinnedNode);
  await runInstead(pinnedNode, [script, ...args]);
} catch (error) {
  process.stderr.write(`bootstrap: ${error.message}\n`);
  process.exit(1);
}

/**
 * npm writes its own record of what is in node_modules as the last step of an installation, and `npm ci` removes the old
 * one first: an interrupted installation has none.
 */
function isInstalled(pinnedNode) {
  try {
    accessSync(pinnedNode, constants.X_OK);
    const installed = readPackages('node_modules/.package-lock.json');
    const wanted = readPackages('package-lock.json');
    delete wanted[''];
    const sameAsInstalled = ([path, entry]) =>
      path in installed ? entry.integrity === installed[path].integrity : entry.optional === true;
    return Object.entries(wanted).every(sameAsInstalled) && Object.keys(installed).every((path) => path in wanted);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function readPackages(path) {
  return JSON.parse(readFileSync(join(projectDirectory, path), 'utf8')).packages;
}

/** Of several processes that find nothing installed, one installs and the others wait for it. */
async function installOnce(pinnedNode) {
  for (;;) {
    const lock = await takeLock();
    if (lock === undefined) continue;
    try {
      if (!isInstalled(pinnedNode)) await install();
    } finally {
      lock.close();
    }
    if (isInstalled(pinnedNode)) return;
    throw new Error('npm ci ended well, yet node_modules is not what package-lock.json says; remove it and try again');
  }
}

/**
 * A socket name that only one process can hold, and that the kernel frees when its holder ends in whatever way.
 * `undefined`: another one held it, and no longer does.
 */
async function takeLock() {
  const name = `\0polycloud-install-${createHash('sha256').update(projectDirectory).digest('hex')}`;
  const server = createServer();
  try {
    await once(server.listen(name), 'listening');
    return server;
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    await endOfHolder(name);
    return undefined;
  }
}

async function endOfHolder(name) {
  const waiting = createConnection(name).resume();
  waiting.once('connect', () => say('waiting for another process that installs the packages'));
  // Refused: it has ended meanwhile.
  waiting.once('error', () => undefined);
  await new Promise((resolve) => {
    waiting.once('close', resolve);
  });
}

async function install() {
  say('installing the packages of package-lock.json with npm ci; the first time takes about a minute');
  const startedMs = Date.now();
  const elapsedSeconds = () => Math.round((Date.now() - startedMs) / 1000);
  const progress = setInterval(() => say(`still installing after ${elapsedSeconds()} s`), progressEveryMs);
  try {
    // Standard output belongs to the script that runs afterwards.
    const stdio = ['ignore', process.stderr, process.stderr];
    const npm = spawn('npm', ['ci', '--loglevel=error', '--no-progress'], { cwd: projectDirectory, stdio });
    const ended = await endOf(npm);
    if (ended.code !== 0) throw new Error(`npm ci failed (${ended.code ?? ended.signal}); its reason stands above`);
    say(`installed in ${elapsedSeconds()} s`);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('npm was not found; install Node.js together with npm, and try again', { cause: error });
  } finally {
    clearInterval(progress);
  }
}

/**
 * NODE_OPTIONS may hold what only some other Node understands, so it is dropped. NODE_EXTRA_CA_CERTS stays: the npm that
 * some scripts call may need it to reach its registry. Tools that ask for `node` by name find the pinned one.
 */
async function runInstead(pinnedNode, args) {
  const { NODE_OPTIONS: _dropped, ...env } = process.env;
  env.PATH = `${dirname(pinnedNode)}${delimiter}${env.PATH ?? ''}`;
  const child = spawn(pinnedNode, args, { stdio: 'inherit', env });
  // A terminal sends its interrupt to the child too; once is enough.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const { code, signal } = await endOf(child);
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function endOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function say(message) {
  process.stderr.write(`bootstrap: ${message}\n`);
}
