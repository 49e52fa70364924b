import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeChartArchive, makeChartArtifact } from '../../../build/release/chart-archive.ts';
import { runOrThrow } from '../../../build/run.ts';

await t.test('the archive has the files of the chart, and the same bytes each time', async (t) => {
  const directory = t.testdir({ out: {} });
  const archive = await makeChartArchive();
  t.ok(archive.equals(await makeChartArchive()));
  writeFileSync(join(directory, 'chart.tgz'), archive);
  const unpack = ['--extract', '--gzip', '--file', join(directory, 'chart.tgz'), '--directory', join(directory, 'out')];
  await runOrThrow('tar', unpack, { stdin: '' });
  await runOrThrow('diff', ['--recursive', 'charts/polycloud', join(directory, 'out/polycloud')], { stdin: '' });
});

await t.test('the OCI artefact has the chart as its layer, and what Helm reads of it', async (t) => {
  const directory = t.testdir({ out: {} });
  const chart = await makeChartArchive();
  writeFileSync(join(directory, 'chart.tar'), await makeChartArtifact(chart, '1.2.3'));
  const unpack = ['--extract', '--file', join(directory, 'chart.tar'), '--directory', join(directory, 'out')];
  await runOrThrow('tar', unpack, { stdin: '' });
  const blob = (digest: string): Buffer => readFileSync(join(directory, 'out/blobs', digest.replace(':', '/')));
  const index = JSON.parse(readFileSync(join(directory, 'out/index.json'), 'utf8')) as Index;
  t.match(index.manifests, [{ annotations: { 'org.opencontainers.image.ref.name': '1.2.3' } }]);
  const manifest = JSON.parse(blob(index.manifests[0]?.digest ?? '').toString()) as Manifest;
  t.match(manifest, {
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' },
    layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' }],
  });
  t.match(JSON.parse(blob(manifest.config.digest).toString()), { name: 'polycloud', apiVersion: 'v2' });
  t.ok(blob(manifest.layers[0]?.digest ?? '').equals(chart));
});

interface Descriptor {
  readonly digest: string;
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
