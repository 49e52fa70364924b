/** A parsed and validated image reference. The host is lower-case ASCII. */
export interface ImageReference {
  readonly host: string;
  /** Only if the reference names one. */
  readonly port?: string;
  /** `host[:port]`, as the kubelet compares it. */
  readonly registry: string;
  /** Without registry, tag and digest. */
  readonly repository: string;
}

const dockerHub = 'docker.io';
/** Visible ASCII: a reference has no space, no control character and no letter of another alphabet. */
const imagePattern = /^[!-~]+$/;
const hostPattern = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const portPattern = /^[1-9][0-9]{0,4}$/;
const maxPort = 65_535;

/**
 * The only parser of image references. `undefined` for text that is not a reference, and for a registry that is not a
 * plain host name. User-info, upper case, percent signs, a trailing dot and the like can make one name look like
 * another, so such an image gets no login.
 */
export function parseImageReference(image: string): ImageReference | undefined {
  if (!imagePattern.test(image)) return undefined;
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  if (!namesRegistry(first)) return { host: dockerHub, registry: dockerHub, repository: withoutTag(image) };
  const repository = withoutTag(image.slice(slash + 1));
  const colon = first.indexOf(':');
  const host = colon < 0 ? first : first.slice(0, colon);
  if (!hostPattern.test(host)) return undefined;
  if (colon < 0) return { host, registry: host, repository };
  const port = first.slice(colon + 1);
  if (!portPattern.test(port) || Number(port) > maxPort) return undefined;
  return { host, port, registry: first, repository };
}

/** Docker's rule: a first part without dot, colon or upper case is a folder on Docker Hub, except `localhost`. */
function namesRegistry(first: string): boolean {
  return /[^a-z0-9_-]/.test(first) || first === 'localhost';
}

function withoutTag(path: string): string {
  const untilDigest = path.split('@', 1)[0] ?? '';
  const colon = untilDigest.lastIndexOf(':');
  return colon > untilDigest.lastIndexOf('/') ? untilDigest.slice(0, colon) : untilDigest;
}
