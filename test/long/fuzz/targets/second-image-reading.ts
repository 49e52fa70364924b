/** A second reader of image names, after the reference grammar of the Distribution project and the URL standard. */
export interface ReferenceReading {
  /** Without the port. */
  readonly host: string;
  readonly registry: string;
  readonly repository: string;
}

/** `undefined`: it is no reference, or names no registry that is a plain host. */
export function readImage(image: string): ReferenceReading | undefined {
  if (!isVisible(image)) return undefined;
  const [first = '', ...others] = image.split('/');
  const namesHost = others.length > 0 && isDomain(first);
  const repository = stripTag(namesHost ? others.join('/') : image);
  if (!namesHost) {
    return { host: 'docker.io', registry: 'docker.io', repository };
  }
  const [host = '', ...ports] = first.split(':');
  return isHost(host) && arePorts(ports) ? { host, registry: first, repository } : undefined;
}

/** By the rule of Docker, not a folder on its Hub. */
function isDomain(first: string): boolean {
  return /[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first;
}

/** A reference has no space, no control character and no letter of another alphabet in it. */
function isVisible(image: string): boolean {
  return image !== '' && image.split('').every((character) => character > ' ' && character < '\u007f');
}

/** On Docker Hub there is no such folder, and no such registry anywhere. */
export function isNoFolder(image: string): boolean {
  return !onlyHas(image.split('/')[0] ?? '', `${letters}-_`);
}

function stripTag(path: string): string {
  const name = path.includes('@') ? path.slice(0, path.indexOf('@')) : path;
  const folders = name.split('/');
  const last = folders.pop() ?? '';
  const parts = last.split(':');
  return [...folders, parts.length > 1 ? parts.slice(0, -1).join(':') : last].join('/');
}

const highestPort = 65_535;

/** None, or one that is written as a number is. */
function arePorts(ports: readonly string[]): boolean {
  if (ports.length > 1) {
    return false;
  }
  return ports.every(
    (port) =>
      onlyHas(port, '0123456789') && String(Number(port)) === port && Number(port) >= 1 && Number(port) <= highestPort,
  );
}

function isHost(host: string): boolean {
  const labels = host.split('.');
  if (host.length > 253 || !labels.every(isLabel)) {
    return false;
  }
  // A URL takes a name that ends in a number for an address, and checks names of other alphabets.
  const isLeftAlone = !/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '') && !host.includes('xn--');
  return !isLeftAlone || URL.parse(`https://${host}/`)?.hostname === host;
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function isLabel(label: string): boolean {
  const ends = label.slice(0, 1) + label.slice(-1);
  return label !== '' && label.length <= 63 && onlyHas(label, `${letters}-`) && onlyHas(ends, letters);
}

function onlyHas(text: string, alphabet: string): boolean {
  return text.split('').every((character) => alphabet.includes(character));
}
