import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { ociArtifact } from '../images/oci-archive.ts';
import type { ArchiveEntry } from '../images/tar.ts';
import { createTar } from '../images/tar.ts';
import { projectDirectory } from '../project.ts';

const chartDirectory = join(projectDirectory, 'charts/polycloud');

/** The chart as `helm install` takes it from a file. `helm package` would put the time of the build into it. */
export async function makeChartArchive(): Promise<Buffer> {
  const files = await readdir(chartDirectory, { recursive: true, withFileTypes: true });
  const entries = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }): Promise<ArchiveEntry> => {
      const file = join(parentPath, name);
      const path = join('polycloud', file.slice(chartDirectory.length + 1));
      return { path, kind: 'file', content: await readFile(file), mode: 0o644 };
    });
  return gzipSync(createTar(await Promise.all(entries)), { level: 9 });
}

/** The same as an OCI artefact, which any OCI tool can copy to a registry. https://helm.sh/docs/topics/registries/ */
export async function makeChartArtifact(chart: Buffer, version: string): Promise<Buffer> {
  const metadata: unknown = parse(await readFile(join(chartDirectory, 'Chart.yaml'), 'utf8'));
  return ociArtifact(version, {
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', content: Buffer.from(JSON.stringify(metadata)) },
    layer: { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', content: chart },
    annotations: { 'org.opencontainers.image.title': 'polycloud', 'org.opencontainers.image.version': version },
  });
}
