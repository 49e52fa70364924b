import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeNamespaces } from '../node-namespaces.ts';
import { ociArchive } from './oci-image.ts';
import type { Image } from './oci-image.ts';

export interface NamedImage {
  readonly image: Image;
  /** Whole, with host and tag. */
  readonly reference: string;
}

/** Puts an image where the kubelet finds it without pulling. */
export async function importImage(
  namespaces: NodeNamespaces,
  directory: string,
  { image, reference }: NamedImage,
): Promise<void> {
  const file = join(directory, `${image.manifest.digest.replace(':', '-')}.tar`);
  await writeFile(file, ociArchive(image, reference));
  try {
    await importArchive(namespaces, file);
  } finally {
    await rm(file);
  }
}

export async function importArchive(namespaces: NodeNamespaces, file: string): Promise<void> {
  const args = ['--namespace', 'k8s.io', 'images', 'import', file];
  const { code, stderr } = await namespaces.run('/usr/bin/ctr', args, { env: {}, input: '', timeoutMs });
  if (code !== 0) throw new Error(`ctr images import ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
}

const timeoutMs = 60_000;
