import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Architecture } from '../architecture.ts';
import { createTar } from './tar.ts';
import type { ArchiveEntry } from './tar.ts';

/** An image for one architecture. */
export interface ImageVariant {
  readonly arch: Architecture;
  /** The base layer first. */
  readonly layers: readonly Layer[];
  readonly entrypoint: string;
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Layer {
  /** The digest of the uncompressed archive. */
  readonly diffId: string;
  readonly blob: Buffer;
}

/** Takes half the time of the default, 6, and adds a few percent to the size. */
const compressionLevel = 4;

export function makeLayer(entries: readonly ArchiveEntry[]): Layer {
  const tar = createTar(entries);
  return { diffId: digestOf(tar), blob: gzipSync(tar, { level: compressionLevel }) };
}

/**
 * One archive for all architectures: `ctr images import` takes the one of its machine, and a push to a registry
 * takes all. https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
 */
export function ociArchive(reference: string, variants: readonly ImageVariant[]): Buffer {
  const annotations = { 'io.containerd.image.name': reference, 'org.opencontainers.image.ref.name': tagOf(reference) };
  return layout(annotations, (addBlob) => {
    const manifests = variants.map((variant) => addManifest(variant, addBlob));
    return addBlob(types.index, json({ schemaVersion: 2, mediaType: types.index, manifests }));
  });
}

/** Something else than an image: one file, described by its configuration. */
export interface Artifact {
  readonly config: TypedContent;
  readonly layer: TypedContent;
  readonly annotations: Readonly<Record<string, string>>;
}

interface TypedContent {
  readonly mediaType: string;
  readonly content: Buffer;
}

export function ociArtifact(tag: string, { config, layer, annotations }: Artifact): Buffer {
  return layout({ 'org.opencontainers.image.ref.name': tag }, (addBlob) => {
    const manifest = {
      schemaVersion: 2,
      mediaType: types.manifest,
      config: addBlob(config.mediaType, config.content),
      layers: [addBlob(layer.mediaType, layer.content)],
      annotations,
    };
    return addBlob(types.manifest, json(manifest));
  });
}

function layout(annotations: Readonly<Record<string, string>>, add: (addBlob: AddBlob) => Descriptor): Buffer {
  const blobs = new Map<string, Buffer>();
  const content = add((mediaType, blob) => {
    const digest = digestOf(blob);
    blobs.set(digest, blob);
    return { mediaType, digest, size: blob.length };
  });
  const index = { schemaVersion: 2, mediaType: types.index, manifests: [{ ...content, annotations }] };
  return createTar([
    fileEntry('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
    fileEntry('index.json', json(index)),
    ...[...blobs].map(([digest, blob]) => fileEntry(`blobs/${digest.replace(':', '/')}`, blob)),
  ]);
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

type AddBlob = (mediaType: string, blob: Buffer) => Descriptor;

/** Go's names of the architectures. */
const platforms: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

function addManifest({ arch, layers, entrypoint, user, labels }: ImageVariant, addBlob: AddBlob): object {
  const platform = { architecture: platforms[arch], os: 'linux' };
  const config = addBlob(
    types.config,
    json({
      ...platform,
      config: { User: user, Env: ['PATH=/usr/local/bin'], Entrypoint: [entrypoint], WorkingDir: '/', Labels: labels },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    }),
  );
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config,
    layers: layers.map(({ blob }) => addBlob(types.layer, blob)),
    annotations: labels,
  };
  return { ...addBlob(types.manifest, json(manifest)), platform };
}

function digestOf(blob: Buffer): string {
  return `sha256:${createHash('sha256').update(blob).digest('hex')}`;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function fileEntry(path: string, content: Buffer): ArchiveEntry {
  return { path, kind: 'file', content, mode: 0o644 };
}

function tagOf(reference: string): string {
  return reference.slice(reference.lastIndexOf(':') + 1);
}
