import type { KubeletHints } from '../../schemas/kubelet-hints.ts';
import { Failure } from '../../lib/failure.ts';
import { parseImageReference } from '../../lib/image-reference.ts';

interface ImageMistake {
  isMade(image: string): boolean;
  readonly what: string;
  readonly remedy: string;
}

const example = 'registry.example/team/app:1';

/** In the order in which they are looked for: the first one that fits is the reason. */
const mistakes: readonly ImageMistake[] = [
  {
    isMade: (image) => /^[a-z][a-z+.-]*:\/\//i.test(image),
    what: 'an image name does not begin with a scheme such as https://',
    remedy: 'remove it',
  },
  { isMade: (image) => /\s/.test(image), what: 'an image name has no spaces', remedy: 'remove them' },
  {
    isMade: (image) => /[^!-~]/.test(image),
    what: 'an image name has only visible ASCII characters',
    remedy: `write it like ${example}`,
  },
  {
    isMade: (image) => /[A-Z]/.test(withoutTag(image)),
    what: 'the host and the repository of an image name have no capital letters',
    remedy: 'write them in lower case; only the tag may have capitals',
  },
  {
    isMade: (image) => image.split('/', 1)[0]?.includes('@') === true && image.includes('/'),
    what: 'the host of an image name has no user name',
    remedy: 'remove it, with the @',
  },
  {
    isMade: (image) => /^[^/]*:(?:\/|$)/.test(image) || image.endsWith('/') || image.includes('//'),
    what: 'a part of the image name is empty',
    remedy: `write it like ${example}`,
  },
  {
    isMade: (image) => parseImageReference(image) === undefined,
    what: 'it is not an image name: its host is neither a DNS name nor an IPv4 address, or its port is not valid',
    remedy: `write it like ${example}`,
  },
];

function withoutTag(image: string): string {
  return image.replace(/[:@][^/]*$/, '');
}

/** Throws the exact reason why no cloud can have this image. */
export function checkImage(image: string, hints: readonly KubeletHints[]): void {
  const mistake = mistakes.find(({ isMade }) => isMade(image));
  if (mistake !== undefined) throw new Failure('misconfigured', mistake.what, { remedy: mistake.remedy });
  const lookAlike = hints.flatMap(({ wrongGlobs = [] }) => wrongGlobs).find(({ pattern }) => pattern.test(image));
  if (lookAlike === undefined) return;
  throw new Failure('misconfigured', `no registry has this host: ${lookAlike.what}`, { remedy: lookAlike.remedy });
}

/** Registries whose images most clusters pull without a login. */
const publicHosts: ReadonlySet<string> = new Set([
  'docker.io',
  'registry.k8s.io',
  'ghcr.io',
  'quay.io',
  'mcr.microsoft.com',
  'registry.gitlab.com',
  'nvcr.io',
  'cgr.dev',
]);

/** The host of an image that probably needs no login. `undefined`: it probably does. */
export function publicHostOf(image: string): string | undefined {
  const host = parseImageReference(image)?.registry;
  return host !== undefined && publicHosts.has(host) ? host : undefined;
}
