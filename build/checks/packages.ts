import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

/**
 * The installer's settings decide from where packages are downloaded: an address in the repository
 * would bypass them. Addresses of project pages and documentation are allowed.
 */
const downloadHosts = [
  /registry\.npmjs\.org/,
  /registry\.yarnpkg\.com/,
  /npm\.pkg\.github\.com/,
  /npmmirror\.com/,
  /pypi\.org\/(?:simple|pypi)\b/,
  /files\.pythonhosted\.org/,
  /(?:proxy|sum)\.golang\.org/,
  /\bgoproxy\.(?:io|cn)\b/,
  /static\.crates\.io/,
  /(?:deb|security|snapshot|ftp)\.debian\.org/,
  /(?:archive|ports|security)\.ubuntu\.com/,
  /nodejs\.org\/(?:dist|download)\b/,
  /\bartifactory\b|\/nexus\/repository\//i,
  /https?:\/\/[^\s'"`)]+\/-\/[^\s'"`)]+\.tgz/,
];
const exactVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const dependencyLists = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

type Manifest = Partial<Record<(typeof dependencyLists)[number], Readonly<Record<string, string>>>>;

export function checkPackages(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.flatMap((file) => [...downloadAddresses(file), ...looseVersions(file), ...resolvedAddresses(file)]);
}

function downloadAddresses({ path, text }: SourceFile): readonly StructureFinding[] {
  if (!downloadHosts.some((host) => host.test(text))) return [];
  return text.split('\n').flatMap((content, index) => {
    const host = downloadHosts.map((each) => each.exec(content)?.[0]).find((each) => each !== undefined);
    if (host === undefined) return [];
    const remedy = 'name the package and its version; where it comes from is the installer’s setting';
    return [{ path, line: index + 1, what: `names the download host ${host}`, rule: 'no-download-hosts', remedy }];
  });
}

function resolvedAddresses({ path, text }: SourceFile): readonly StructureFinding[] {
  if (path !== 'package-lock.json') return [];
  return text.split('\n').flatMap((content, index) => {
    if (!/"resolved": *"https?:/.test(content)) return [];
    const remedy = 'lock with omit-lockfile-registry-resolved=true';
    return [
      { path, line: index + 1, what: 'the lock names a download address', rule: 'lock-without-addresses', remedy },
    ];
  });
}

function looseVersions({ path, text }: SourceFile): readonly StructureFinding[] {
  if (path !== 'package.json') return [];
  const manifest = JSON.parse(text) as Manifest;
  const versions = dependencyLists.flatMap((list) => Object.entries(manifest[list] ?? {}));
  return versions
    .filter(([, version]) => !exactVersion.test(version))
    .map(([name, version]) => ({
      path,
      line: text.slice(0, Math.max(0, text.indexOf(`"${name}"`))).split('\n').length,
      what: `${name} is asked for as "${version}"`,
      rule: 'exact-versions',
      remedy: 'write one exact version',
    }));
}
