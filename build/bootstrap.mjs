/**
 * `node build/bootstrap.mjs SCRIPT.ts [ARGUMENT]…`: runs a script of this repository with the pinned Node version and
 * exactly the packages of package-lock.json. Any Node from version 18 can run this file, so
 * it is plain JavaScript and uses only Node itself.
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
 * npm writes its list of the installed packages as the last step of an installation, and `npm ci` removes the old
 * list first: after an interrupted installation there is none.
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

/** If several processes find nothing installed, one of them installs and the others wait. */
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
 * An abstract socket as a lock: only one process can hold it, and the kernel releases it when that process ends.
 * `undefined`: another process held it and has released it.
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
  waiting.once('connect', () => log('waiting for another process that installs the packages'));
  // Connection refused: the holder has ended in the meantime.
  waiting.once('error', () => undefined);
  await new Promise((resolve) => {
    waiting.once('close', resolve);
  });
}

async function install() {
  log('installing the packages of package-lock.json with npm ci; the first time takes about a minute');
  const startedMs = Date.now();
  const elapsedSeconds = () => Math.round((Date.now() - startedMs) / 1000);
  const progress = setInterval(() => log(`still installing after ${elapsedSeconds()} s`), progressEveryMs);
  try {
    // Standard output is for the script that runs afterwards.
    const stdio = ['ignore', process.stderr, process.stderr];
    const npm = spawn('npm', ['ci', '--loglevel=error', '--no-progress'], { cwd: projectDirectory, stdio });
    const ended = await endOf(npm);
    if (ended.code !== 0) throw new Error(`npm ci failed (${ended.code ?? ended.signal}); its reason stands above`);
    log(`installed in ${elapsedSeconds()} s`);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('npm was not found; install Node.js together with npm, and try again', { cause: error });
  } finally {
    clearInterval(progress);
  }
}

/**
 * NODE_OPTIONS may contain options of another Node version, so it is removed. NODE_EXTRA_CA_CERTS is kept: npm, which
 * some scripts run, may need it to reach its registry. Tools that look up `node` in PATH find the pinned one.
 */
async function runInstead(pinnedNode, args) {
  const { NODE_OPTIONS: _dropped, ...env } = process.env;
  env.PATH = `${dirname(pinnedNode)}${delimiter}${env.PATH ?? ''}`;
  const child = spawn(pinnedNode, args, { stdio: 'inherit', env });
  // A terminal sends SIGINT to the child too, so it is not forwarded then.
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

function log(message) {
  process.stderr.write(`bootstrap: ${message}\n`);
}
