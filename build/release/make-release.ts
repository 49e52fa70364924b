import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { architectures } from '../architecture.ts';
import { buildAll } from '../build-all.ts';
import { missingPackages } from '../executables/missing-packages.ts';
import { images } from '../images/make-images.ts';
import { projectDirectory } from '../project.ts';
import { makeWorkDirectory } from '../work-directory.ts';
import { readBundledPackages } from './bundled-packages.ts';
import { makeChartArchive, makeChartArtifact } from './chart-archive.ts';
import { formatChecksums, hashFiles } from './checksums.ts';
import { prepareNfpm } from './find-nfpm.ts';
import { makeLinuxPackages } from './linux-packages.ts';
import { formatNotices } from './notices.ts';
import { makeCodeCacheArchive, makeProgramArchive } from './program-archive.ts';
import { formatProvenance } from './provenance.ts';
import { readReleaseFacts } from './release-facts.ts';
import type { ReleaseFacts } from './release-facts.ts';
import { formatSbom } from './sbom.ts';
import { signFile } from './sign.ts';

export interface ReleaseOptions {
  readonly directory: string;
  /** A private key. Absent: nothing is signed. */
  readonly signingKey?: string;
  readonly codeCaches?: string;
  log(line: string): void;
}

const checksums = 'SHA256SUMS';

/** Makes everything that a tag needs in one directory. */
export async function makeRelease({ directory, signingKey, codeCaches, log }: ReleaseOptions): Promise<void> {
  refuseIncompleteTools();
  const facts = await readReleaseFacts();
  const nfpm = await prepareNfpm(log);
  await buildAll({ architectures, withImages: true, ...(codeCaches !== undefined && { codeCaches }), log });
  await rm(directory, { recursive: true, force: true });
  const workDirectory = await makeWorkDirectory(join(projectDirectory, 'dist'));
  await mkdir(directory, { recursive: true });
  try {
    const names = await writeFiles({ facts, nfpm, workDirectory, directory });
    const hashes = await hashFiles(directory, names);
    await writeFile(join(directory, checksums), formatChecksums(hashes));
    await writeFile(join(directory, `polycloud-${facts.version}.intoto.json`), formatProvenance(hashes, facts));
    if (signingKey !== undefined) await sign(directory, signingKey);
    for (const { name, sha256 } of hashes) {
      const { size } = await stat(join(directory, name));
      log(`${sha256.slice(0, 12)} ${(size / 1e6).toFixed(1).padStart(6)} MB ${name}`);
    }
    log(`made ${relative(projectDirectory, directory)}${signingKey === undefined ? ', without signatures' : ''}`);
  } finally {
    await rm(workDirectory, { recursive: true });
  }
}

/** A build without them makes executables that start slower, or no front end. A release has all of it. */
function refuseIncompleteTools(): void {
  const missing = missingPackages(architectures);
  if (missing.length === 0) return;
  throw new Error(
    `a release has both architectures, and the tools for one are missing; hint: install ${missing.join(' ')} (Debian)`,
  );
}

interface Inputs {
  readonly facts: ReleaseFacts;
  readonly nfpm: string;
  readonly workDirectory: string;
  readonly directory: string;
}

/** Returns the names of the files. */
async function writeFiles({ facts, nfpm, workDirectory, directory }: Inputs): Promise<readonly string[]> {
  const { version } = facts;
  const names: string[] = [];
  const write = async (name: string, content: Buffer | string): Promise<void> => {
    await writeFile(join(directory, name), content);
    names.push(name);
  };
  const packages = await readBundledPackages();
  const nodeVersion = process.versions.node;
  const notices = formatNotices(packages, nodeVersion, await readNodeLicence());
  // One after the other, since each holds executables in memory.
  for (const arch of architectures) {
    await write(archiveName(version, arch), await makeProgramArchive(arch, version, notices));
    names.push(...(await makeLinuxPackages({ arch, facts, notices, nfpm, workDirectory, directory })));
  }
  await write(`polycloud-${version}-code-caches.tar.gz`, await makeCodeCacheArchive(architectures));
  for (const { name } of images) {
    const file = `${name}-${version}-image.tar`;
    await copyFile(join(projectDirectory, 'dist/images', `${name}.tar`), join(directory, file));
    names.push(file);
  }
  const chart = await makeChartArchive();
  await write(`polycloud-${version}.tgz`, chart);
  await write(`polycloud-${version}-chart.tar`, await makeChartArtifact(chart, version));
  await write(`polycloud-${version}.spdx.json`, formatSbom(packages, nodeVersion, facts));
  await write(`third-party-notices.txt`, notices);
  return names;
}

function archiveName(version: string, arch: Architecture): string {
  return `polycloud-${version}-linux-${arch}.tar.gz`;
}

function readNodeLicence(): Promise<string> {
  return readFile(join(projectDirectory, 'node_modules', `node-linux-${process.arch}`, 'LICENSE'), 'utf8');
}

async function sign(directory: string, key: string): Promise<void> {
  const file = join(directory, checksums);
  await writeFile(`${file}.sig`, await signFile(file, key));
}
