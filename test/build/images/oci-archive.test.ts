import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeLayer, ociArchive } from '../../../build/images/oci-archive.ts';
import { createTar } from '../../../build/images/tar.ts';
import type { ArchiveEntry } from '../../../build/images/tar.ts';
import { runOrThrow } from '../../../build/run.ts';
import { readArchive } from './read-archive.ts';

const entries: readonly ArchiveEntry[] = [
  { path: 'usr/local/bin/program', kind: 'file', content: Buffer.from('#!/bin/sh\n'), mode: 0o755 },
  { path: 'etc/empty', kind: 'file', content: Buffer.alloc(0), mode: 0o644 },
  { path: 'etc/exact', kind: 'file', content: Buffer.alloc(512, 'x'), mode: 0o600 },
  { path: 'usr/local-link', kind: 'link', target: 'local/bin' },
];
const run = { stdin: '', env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };

await t.test('tar reads our archive as it was meant', async (t) => {
  const directory = t.testdir({ out: {} });
  const file = join(directory, 'a.tar');
  writeFileSync(file, createTar(entries));
  const list = await runOrThrow('tar', ['--list', '--verbose', '--numeric-owner', '--file', file], run);
  t.same(
    list
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' ')),
    [
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 etc/',
      '-rw-r--r-- 0/0 0 1970-01-01 00:00 etc/empty',
      '-rw------- 0/0 512 1970-01-01 00:00 etc/exact',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 usr/local-link -> local/bin',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/local/',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/local/bin/',
      '-rwxr-xr-x 0/0 10 1970-01-01 00:00 usr/local/bin/program',
    ],
  );
  await runOrThrow('tar', ['--extract', '--file', file, '--directory', join(directory, 'out')], run);
  t.equal(readFileSync(join(directory, 'out/usr/local-link/program'), 'utf8'), '#!/bin/sh\n');
  t.equal(readFileSync(join(directory, 'out/etc/exact'), 'utf8'), 'x'.repeat(512));
});

await t.test('the same entries in another order are the same archive, to the byte', async (t) => {
  t.ok(createTar(entries).equals(createTar(entries.toReversed())));
  t.ok(archiveOf(['x64', 'arm64']).equals(archiveOf(['x64', 'arm64'])));
});

await t.test('a path of more than 100 characters fits if its folders do', async (t) => {
  const path = `usr/${'a'.repeat(90)}/${'b'.repeat(90)}`;
  const file = join(t.testdir(), 'a.tar');
  writeFileSync(file, createTar([{ path, kind: 'file', content: Buffer.from('x'), mode: 0o644 }]));
  const list = await runOrThrow('tar', ['--list', '--file', file], run);
  t.equal(list.trim().split('\n').at(-1), path);
});

await t.test('a path that has no room in an archive is refused', async (t) => {
  const path = `a/${'b'.repeat(101)}`;
  t.throws(() => createTar([{ path, kind: 'link', target: 'x' }]), /too long for an archive/);
  t.throws(() => createTar([{ path: 'a', kind: 'link', target: path }]), /too long for an archive/);
});

await t.test('an image is one name over a variant for each architecture', async (t) => {
  const directory = t.testdir({ image: {} });
  const file = join(directory, 'image.tar');
  writeFileSync(file, archiveOf(['x64', 'arm64']));
  mkdirSync(join(directory, 'opened'));
  const { names, variants } = await readArchive(file, join(directory, 'opened'));
  t.same(names, [{ 'io.containerd.image.name': 'localhost/program:1.2', 'org.opencontainers.image.ref.name': '1.2' }]);
  t.same(
    variants.map(({ platform }) => platform),
    [
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ],
  );
  for (const { config } of variants) {
    t.match(config, { os: 'linux', config: { User: '65532:65532', Entrypoint: ['/usr/local/bin/program'] } });
  }
});

function archiveOf(architectures: readonly ('x64' | 'arm64')[]): Buffer {
  const variant = {
    layers: [makeLayer(entries)],
    entrypoint: '/usr/local/bin/program',
    user: '65532:65532',
    labels: {},
  };
  return ociArchive(
    'localhost/program:1.2',
    architectures.map((arch) => ({ ...variant, arch })),
  );
}
