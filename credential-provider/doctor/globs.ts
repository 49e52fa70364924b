/**
 * Does an entry of matchImages match an image, by the kubelet's rules? Each label of the host is matched separately, the
 * port exactly, and the path as a prefix.
 */
export function matchesImage(pattern: string, image: string): boolean {
  const wanted = split(pattern);
  const given = split(image);
  if (wanted.port !== given.port || !given.path.startsWith(wanted.path)) return false;
  const globs = wanted.host.split('.');
  const labels = given.host.split('.');
  return globs.length === labels.length && globs.every((glob, at) => matchesLabel(glob, labels[at] ?? ''));
}

interface Parts {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

const bracketed = /^\[(?<address>[\da-fA-F:.]+)\](?::(?<addressPort>\d*))?$/;

function split(text: string): Parts {
  const slashAt = text.indexOf('/');
  const authority = slashAt < 0 ? text : text.slice(0, slashAt);
  const { address, addressPort } = bracketed.exec(authority)?.groups ?? {};
  const [host = '', port = ''] = authority.split(':');
  const path = slashAt < 0 ? '' : text.slice(slashAt);
  // Go removes the brackets of an IPv6 address only if a port follows.
  if (address !== undefined && addressPort !== undefined) return { host: address, port: addressPort, path };
  return address === undefined ? { host, port, path } : { host: authority, port: '', path };
}

const globPart = /\*|\?|\[(?<not>\^?)(?<set>[^\]]+)\]|\\?(?<other>.)/gsu;

/** https://pkg.go.dev/path/filepath#Match */
function matchesLabel(glob: string, label: string): boolean {
  const pattern = glob.replaceAll(globPart, (part, not: string | undefined, set: string | undefined, other: string) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return set === undefined ? escape(other) : `[${not ?? ''}${set.replaceAll(/[[\\^]/g, String.raw`\$&`)}]`;
  });
  return isPattern(pattern) && new RegExp(`^(?:${pattern})$`, 'su').test(label);
}

function escape(character: string): string {
  return character.replace(/[\\^$.|+*?()[\]{}]/, String.raw`\$&`);
}

/** An invalid pattern matches nothing. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'su') instanceof RegExp;
  } catch {
    return false;
  }
}
