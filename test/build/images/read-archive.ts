import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { runOrThrow } from '../../../build/run.ts';

export interface ReadVariant {
  readonly platform: object;
  readonly config: ImageConfig;
  /** Files of the layers, the lowest first. */
  readonly layers: readonly string[];
}

export interface ImageConfig {
  readonly config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform: object;
  readonly annotations?: object;
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

/** Opens an OCI archive in a directory, and believes nothing: each thing has to be what its name and size say. */
export async function readArchive(
  file: string,
  directory: string,
): Promise<{ readonly names: readonly (object | undefined)[]; readonly variants: readonly ReadVariant[] }> {
  await runOrThrow('tar', ['--extract', '--file', file, '--directory', directory], { stdin: '' });
  const { manifests } = JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8')) as Index;
  const inner = manifests.flatMap((each) => (readJson(directory, each) as Index).manifests);
  return {
    names: manifests.map(({ annotations }) => annotations),
    variants: inner.map((each) => readVariant(directory, each)),
  };
}

function readVariant(directory: string, descriptor: Descriptor): ReadVariant {
  const manifest = readJson(directory, descriptor) as { config: Descriptor; layers: readonly Descriptor[] };
  const config = readJson(directory, manifest.config) as ImageConfig;
  const layers = manifest.layers.map((layer, at) => {
    const { file, blob } = readBlob(directory, layer);
    requireEqual(digestOf(gunzipSync(blob)), config.rootfs.diff_ids[at]);
    return file;
  });
  requireEqual(layers.length, config.rootfs.diff_ids.length);
  return { platform: descriptor.platform, config, layers };
}

function readJson(directory: string, descriptor: Descriptor): unknown {
  return JSON.parse(readBlob(directory, descriptor).blob.toString());
}

function readBlob(directory: string, { digest, size }: Descriptor): { readonly file: string; readonly blob: Buffer } {
  const file = join(directory, 'blobs', ...digest.split(':'));
  const blob = readFileSync(file);
  requireEqual(digestOf(blob), digest);
  requireEqual(blob.length, size);
  return { file, blob };
}

function digestOf(blob: Buffer): string {
  return `sha256:${createHash('sha256').update(blob).digest('hex')}`;
}

function requireEqual(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`is ${String(found)}, and was said to be ${String(expected)}`);
}
