import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { executablePath } from '../executable.ts';
import { frontEnd } from '../front-end.ts';
import { projectDirectory } from '../project.ts';
import { baseEntries, imageUser } from './base-layer.ts';
import { fetchDebianFiles, obstacleToImages } from './debian-files.ts';
import type { DebianFiles } from './debian-files.ts';
import { layerOf, ociArchive } from './oci-archive.ts';
import type { Layer, Variant } from './oci-archive.ts';
import type { Entry } from './tar.ts';

export interface ImageOrder {
  readonly architectures: readonly Architecture[];
  /** Of git, for the label. */
  readonly commit: string;
  /** Holds what apt brings, and may go afterwards. */
  readonly workDirectory: string;
  /** Where the archives go. */
  readonly directory: string;
  say(line: string): void;
}

interface Image {
  readonly name: string;
  readonly title: string;
  /** Put beside it where it was built. */
  readonly alsoIfThere: readonly string[];
}

export const images: readonly Image[] = [
  { name: 'polycloud-ccm', title: 'polycloud cloud controller manager', alsoIfThere: [] },
  { name: 'polycloud-node-agent', title: 'polycloud node agent', alsoIfThere: [] },
  { name: 'polycloud-credential-provider', title: 'polycloud credential provider', alsoIfThere: [frontEnd] },
];

/** As the chart calls them when nobody says where they were pushed to. */
function imageReference(name: string, version: string): string {
  return `localhost/${name}:${version}`;
}

/** Makes an OCI archive of each program from the executables that are in dist, without Docker. */
export async function makeImages(order: ImageOrder): Promise<readonly string[]> {
  const obstacle = obstacleToImages();
  if (obstacle !== undefined) throw new Error(obstacle);
  const { version } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  const bases = await Promise.all(order.architectures.map((arch) => makeBase(arch, order)));
  await mkdir(order.directory, { recursive: true });
  const files: string[] = [];
  // One after the other: each holds its executables in memory.
  for (const image of images) files.push(await makeImage(image, { ...order, version, bases }));
  return files;
}

interface Base {
  readonly arch: Architecture;
  readonly debian: DebianFiles;
  readonly layer: Layer;
}

async function makeBase(arch: Architecture, { workDirectory }: ImageOrder): Promise<Base> {
  const debian = await fetchDebianFiles(arch, workDirectory);
  const executables = images.map(({ name }) => executablePath(name, arch));
  return { arch, debian, layer: layerOf(await baseEntries(arch, executables, debian)) };
}

interface Ingredients extends ImageOrder {
  readonly version: string;
  readonly bases: readonly Base[];
}

async function makeImage(image: Image, ingredients: Ingredients): Promise<string> {
  const { version, bases, directory, say } = ingredients;
  const variants: Variant[] = [];
  for (const base of bases) variants.push(await variantOf(image, base, ingredients));
  const archive = ociArchive(imageReference(image.name, version), variants);
  const file = join(directory, `${image.name}.tar`);
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, archive);
  await rename(unfinished, file);
  say(`built ${relative(projectDirectory, file)}: ${(archive.length / 1e6).toFixed(1)} MB`);
  return file;
}

async function variantOf(
  { name, title, alsoIfThere }: Image,
  base: Base,
  { version, commit }: Ingredients,
): Promise<Variant> {
  const { arch, debian, layer } = base;
  const beside = alsoIfThere.filter((each) => existsSync(executablePath(each, arch)));
  const entries = [name, ...beside].map(async (each): Promise<Entry> => {
    const content = await readFile(executablePath(each, arch));
    return { path: `usr/local/bin/${each}`, kind: 'file', content, mode: 0o755 };
  });
  return {
    arch,
    layers: [layer, layerOf(await Promise.all(entries))],
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
