import { createHash } from 'node:crypto';
import { tar } from './tar.ts';
import type { TarEntry } from './tar.ts';

export interface ImageOptions {
  readonly entries: readonly TarEntry[];
  readonly command: readonly string[];
}

/** An image of one layer, not compressed. */
export interface Image {
  readonly layer: Blob;
  readonly config: Blob;
  readonly manifest: Blob;
}

export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly content: Buffer;
}

export function makeImage({ entries, command }: ImageOptions): Image {
  const layer = blob('application/vnd.oci.image.layer.v1.tar', tar(entries));
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: command, Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  const manifest = jsonBlob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptorOf(config),
    layers: [descriptorOf(layer)],
  });
  return { layer, config, manifest };
}

/** An archive to import; `reference` is the image's whole name, with host and tag. */
export function ociArchive({ layer, config, manifest }: Image, reference: string): Buffer {
  const annotations = { 'io.containerd.image.name': reference };
  const index = { schemaVersion: 2, manifests: [{ ...descriptorOf(manifest), annotations }] };
  return tar([
    file('oci-layout', Buffer.from(JSON.stringify({ imageLayoutVersion: '1.0.0' }))),
    file('index.json', Buffer.from(JSON.stringify(index))),
    { path: 'blobs', kind: 'directory', mode: 0o755 },
    { path: 'blobs/sha256', kind: 'directory', mode: 0o755 },
    ...[layer, config, manifest].map(({ digest, content }) => file(`blobs/${digest.replace(':', '/')}`, content)),
  ]);
}

function file(path: string, content: Buffer): TarEntry {
  return { path, kind: 'file', content, mode: 0o644 };
}

function jsonBlob(mediaType: string, content: object): Blob {
  return blob(mediaType, Buffer.from(JSON.stringify(content)));
}

function blob(mediaType: string, content: Buffer): Blob {
  return { mediaType, content, digest: `sha256:${createHash('sha256').update(content).digest('hex')}` };
}

function descriptorOf({ mediaType, digest, content }: Blob): object {
  return { mediaType, digest, size: content.length };
}
