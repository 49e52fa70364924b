/**
 * Does an entry of matchImages match an image, as the kubelet has it? Each part of the host for itself, the port exactly,
 * the path as the beginning of a text.
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

function split(text: string): Parts {
  const slashAt = text.indexOf('/');
  const [host = '', port = ''] = (slashAt < 0 ? text : text.slice(0, slashAt)).split(':');
  return { host, port, path: slashAt < 0 ? '' : text.slice(slashAt) };
}

/** Of Go's patterns, those that have a use in a host name. */
function matchesLabel(glob: string, label: string): boolean {
  const pattern = glob
    .replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${pattern}$`).test(label);
}
