import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import type { ImageReference } from '../../../lib/image-reference.ts';
import { covers, parseRegistryPath } from '../../../lib/registry-path.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Identity, ImageRegistry, Login, Registry } from '../../cloud.ts';
import { findEntry, readDockerConfig } from './docker-config.ts';
import type { DockerEntry } from './docker-config.ts';

/** The logins of the configuration. */
export interface StoredLogins {
  readonly logins: readonly StoredLogin[];
  readonly dockerConfigFiles: readonly string[];
}

interface StoredLogin {
  /** `host[:port][/path]` */
  readonly match: string;
  readonly usernameFile: string;
  readonly passwordFile: string;
}

/**
 * Docker config files are read when the cloud is made, since `match` does no I/O. Logins are read when they are needed.
 */
export async function createStaticRegistry(config: StoredLogins, host: Host): Promise<ImageRegistry> {
  const entries = await readEntries(config, host);
  return {
    match: (image) => matchStored(image, config.logins) ?? matchDocker(image, entries),
    logIn: (registry, as) => logIn(registry, as, config, host),
  };
}

async function readEntries(config: StoredLogins, host: Host): Promise<readonly DockerEntry[]> {
  const perFile = await Promise.all(config.dockerConfigFiles.map((file) => readDockerConfig(file, host)));
  return perFile.flat();
}

function matchStored(image: ImageReference, logins: readonly StoredLogin[]): Registry | undefined {
  const stored = findStored(image, logins);
  if (stored === undefined) return undefined;
  const { path } = parseRegistryPath(stored.match);
  return { kind: 'static', authKey: keyFor(image, path), servesWholeHost: path === '', entry: stored.match };
}

function findStored(image: ImageReference, logins: readonly StoredLogin[]): StoredLogin | undefined {
  const covering = logins.filter(({ match }) => covers(parseRegistryPath(match), image));
  return covering.toSorted((a, b) => b.match.length - a.match.length)[0];
}

function matchDocker(image: ImageReference, entries: readonly DockerEntry[]): Registry | undefined {
  const entry = findEntry(entries, image);
  if (entry === undefined) return undefined;
  const { path } = entry.registryPath;
  const hasPaths = entries.some(({ registryPath }) => registryPath.path !== '');
  return { kind: 'static', authKey: keyFor(image, path), servesWholeHost: !hasPaths, entry: nameOf(entry) };
}

function keyFor(image: ImageReference, path: string): string {
  return path === '' ? image.registry : `${image.registry}/${path}`;
}

async function logIn(registry: Registry, as: Identity, config: StoredLogins, host: Host): Promise<Login> {
  if (as.kind === 'token') throw notForPods(registry);
  const stored = config.logins.find(({ match }) => match === registry.entry);
  if (stored !== undefined) return readStoredLogin(stored, host);
  const entry = (await readEntries(config, host)).find((candidate) => nameOf(candidate) === registry.entry);
  if (entry?.username !== undefined && entry.password !== undefined) {
    return { username: entry.username, password: new Secret(entry.password), endsWithToken: false };
  }
  throw noLogin(registry, entry);
}

function notForPods(registry: Registry): Failure {
  return new Failure('misconfigured', `${registry.authKey} has a stored login, which is the node's, not a pod's`, {
    remedy: 'serve it by a provider entry without tokenAttributes',
  });
}

/** A `match` never has a space, so the two kinds of names never collide. */
function nameOf({ key, file }: DockerEntry): string {
  return `${key} of ${file}`;
}

function noLogin(registry: Registry, entry: DockerEntry | undefined): Failure {
  const gone = `the login for ${registry.authKey} is gone`;
  const what = entry === undefined ? gone : `entry ${nameOf(entry)} ${entry.problem}`;
  return new Failure('misconfigured', what, { remedy: 'put a user name and password there' });
}

/** The files are read for every login, so rotated files need no restart. */
async function readStoredLogin(stored: StoredLogin, host: Host): Promise<Login> {
  const [username, password] = await Promise.all([
    readOne(stored.usernameFile, host),
    readOne(stored.passwordFile, host),
  ]);
  return { username, password: new Secret(password), endsWithToken: false };
}

async function readOne(path: string, host: Host): Promise<string> {
  const text = (await host.readText(path))?.trim();
  if (text) return text;
  throw new Failure('misconfigured', `${path} ${text === undefined ? 'does not exist' : 'is empty'}`, {
    remedy: 'write the login into the files that usernameFile and passwordFile name',
  });
}
