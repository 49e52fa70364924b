import type { ImageReference } from './image-reference.ts';

/** `host[:port][/path]`, the key of a configuration entry or a login. */
export interface RegistryPath {
  readonly registry: string;
  /** Without slashes at its ends. Empty: the whole host. */
  readonly path: string;
}

export function parseRegistryPath(text: string): RegistryPath {
  const slash = text.indexOf('/');
  if (slash < 0) return { registry: text, path: '' };
  return { registry: text.slice(0, slash), path: text.slice(slash + 1).replace(/\/+$/, '') };
}

/** Whole path segments: `team` covers `team/app`, not `teammate/app`. */
export function covers(pattern: RegistryPath, image: ImageReference): boolean {
  if (pattern.registry !== image.registry) return false;
  return pattern.path === '' || image.repository === pattern.path || image.repository.startsWith(`${pattern.path}/`);
}
