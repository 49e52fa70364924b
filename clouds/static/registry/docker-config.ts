import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import type { ImageReference } from '../../../lib/image-reference.ts';
import { parseJson } from '../../../lib/json.ts';
import { covers, parseRegistryPath } from '../../../lib/registry-path.ts';
import type { RegistryPath } from '../../../lib/registry-path.ts';
import { DockerConfig } from '../schemas.ts';

type Entry = NonNullable<DockerConfig['auths']>[string];

/** An entry of a file, with the parts that a kubelet can use. */
export interface DockerEntry {
  readonly key: string;
  readonly file: string;
  readonly registryPath: RegistryPath;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly problem: string;
}

export async function readDockerConfig(file: string, host: Host): Promise<readonly DockerEntry[]> {
  const text = await host.readText(file);
  if (text === undefined) throw unusable(file, 'does not exist', 'create it, or take it out of dockerConfigFiles');
  const parsed = DockerConfig.safeParse(parseJson(text));
  if (!parsed.success) {
    throw unusable(file, 'is not a docker config file', 'write it with docker login, or as {"auths":{…}}');
  }
  const { auths = {}, credHelpers = {} } = parsed.data;
  return [
    ...Object.entries(auths).map(([key, entry]) => fromAuth(key, entry, file)),
    ...Object.keys(credHelpers).map((key) => fromHelper(key, file)),
  ];
}

/** The most specific entry: the longest path, then a plain host before a pattern. */
export function findEntry(entries: readonly DockerEntry[], image: ImageReference): DockerEntry | undefined {
  const covering = entries.filter(({ registryPath }) => coversHost(registryPath, image));
  return covering.toSorted((a, b) => rank(b) - rank(a))[0];
}

function rank({ registryPath }: DockerEntry): number {
  return registryPath.path.length * 2 + (registryPath.registry.includes('*') ? 0 : 1);
}

/** The kubelet's rule: `*` matches one label or a part of it, and ports must be equal. */
function coversHost({ registry, path }: RegistryPath, image: ImageReference): boolean {
  const patterns = registry.split('.');
  const labels = image.registry.split('.');
  const fits = patterns.length === labels.length && patterns.every((each, at) => matchesLabel(each, labels[at] ?? ''));
  return fits && covers({ registry: image.registry, path }, image);
}

/** Without a regular expression: with many stars it could run forever. */
function matchesLabel(pattern: string, label: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === label;
  if (!label.startsWith(first) || !label.endsWith(last) || label.length < first.length + last.length) return false;
  let rest = label.slice(first.length, label.length - last.length);
  for (const part of others) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}

const dockerHubNames = new Set(['index.docker.io', 'registry-1.docker.io']);

/** Old files name the address of an API: `https://index.docker.io/v1/`. */
function normalize(key: string): RegistryPath {
  const { registry, path } = parseRegistryPath(
    key.replace(/^https?:\/\//, '').replace(/^([^/]+)\/v[12](?:\/|$)/, '$1/'),
  );
  return { registry: dockerHubNames.has(registry) ? 'docker.io' : registry, path };
}

function fromAuth(key: string, entry: Entry, file: string): DockerEntry {
  const [, username, password] = /^([^:]+):(.*)$/s.exec(Buffer.from(entry.auth ?? '', 'base64').toString('utf8')) ?? [];
  return {
    key,
    file,
    registryPath: normalize(key),
    username: (username ?? entry.username) || undefined,
    password: (password?.replace(/\0+$/, '') ?? entry.password) || undefined,
    problem: entry.identitytoken
      ? 'has only an identity token, which a kubelet cannot use'
      : 'holds no user name and password',
  };
}

function fromHelper(key: string, file: string): DockerEntry {
  const problem = 'is left to a credential helper, which is not run';
  return { key, file, registryPath: normalize(key), username: undefined, password: undefined, problem };
}

function unusable(file: string, what: string, remedy: string): Failure {
  return new Failure('misconfigured', `docker config file ${file} ${what}`, { remedy });
}
