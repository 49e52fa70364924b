import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { executablePath } from '../executables/executable.ts';
import { frontEndName } from '../executables/front-end.ts';
import { projectDirectory } from '../project.ts';
import { baseEntries, imageUser } from './base-layer.ts';
import { fetchDebianFiles, imageObstacle } from './debian-files.ts';
import type { DebianFiles } from './debian-files.ts';
import { makeLayer, ociArchive } from './oci-archive.ts';
import type { Layer, ImageVariant } from './oci-archive.ts';
import type { ArchiveEntry } from './tar.ts';

export interface ImageBuildOptions {
  readonly architectures: readonly Architecture[];
  /** The git commit for the label. */
  readonly commit: string;
  /** For the downloads of apt; can be removed afterwards. */
  readonly workDirectory: string;
  /** The directory of the archives. */
  readonly directory: string;
  /** Absent: all. */
  readonly names?: readonly string[];
  log(line: string): void;
}

interface Image {
  readonly name: string;
  readonly title: string;
  /** Executables next to the program. */
  readonly companions: readonly string[];
}

export const images: readonly Image[] = [
  { name: 'polycloud-ccm', title: 'polycloud cloud controller manager', companions: [] },
  { name: 'polycloud-node-agent', title: 'polycloud node agent', companions: [] },
  { name: 'polycloud-credential-provider', title: 'polycloud credential provider', companions: [frontEndName] },
];

/** The default image references of the chart. */
function imageReference(name: string, version: string): string {
  return `localhost/${name}:${version}`;
}

/** Writes an OCI archive of each program from the executables in dist, without Docker. */
export async function makeImages(options: ImageBuildOptions): Promise<readonly string[]> {
  const obstacle = imageObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  const { version } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  const bases = await Promise.all(options.architectures.map((arch) => makeBase(arch, options)));
  await mkdir(options.directory, { recursive: true });
  const files: string[] = [];
  // One after the other, since each holds its executables in memory.
  for (const image of images.filter(({ name }) => options.names?.includes(name) ?? true)) {
    files.push(await makeImage(image, { ...options, version, bases }));
  }
  return files;
}

interface Base {
  readonly arch: Architecture;
  readonly debian: DebianFiles;
  readonly layer: Layer;
}

async function makeBase(arch: Architecture, { workDirectory }: ImageBuildOptions): Promise<Base> {
  const debian = await fetchDebianFiles(arch, workDirectory);
  const executables = images.map(({ name }) => executablePath(name, arch));
  return { arch, debian, layer: makeLayer(await baseEntries(arch, executables, debian)) };
}

interface ImageInputs extends ImageBuildOptions {
  readonly version: string;
  readonly bases: readonly Base[];
}

async function makeImage(image: Image, inputs: ImageInputs): Promise<string> {
  const { version, bases, directory, log } = inputs;
  const variants: ImageVariant[] = [];
  for (const base of bases) variants.push(await makeVariant(image, base, inputs));
  const archive = ociArchive(imageReference(image.name, version), variants);
  const file = join(directory, `${image.name}.tar`);
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, archive);
  await rename(temporary, file);
  log(`built ${relative(projectDirectory, file)}: ${(archive.length / 1e6).toFixed(1)} MB`);
  return file;
}

async function makeVariant(
  { name, title, companions }: Image,
  base: Base,
  { version, commit }: ImageInputs,
): Promise<ImageVariant> {
  const { arch, debian, layer } = base;
  const entries = [name, ...companions].map(async (each): Promise<ArchiveEntry> => {
    const content = await readFile(executablePath(each, arch));
    return { path: `usr/local/bin/${each}`, kind: 'file', content, mode: 0o755 };
  });
  return {
    arch,
    layers: [layer, makeLayer(await Promise.all(entries))],
    entrypoint: `/usr/local/bin/${name}`,
    user: `${imageUser.id}:${imageUser.id}`,
    labels: {
      'org.opencontainers.image.title': title,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'dev.polycloud.debian-packages': debian.versions.join(', '),
    },
  };
}
