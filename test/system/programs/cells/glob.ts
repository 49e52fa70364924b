/** Does the kubelet take a host for covered by one of `matchImages`? A star stands for part of one label, never for a dot. */
export function globCovers(glob: string, host: string): boolean {
  const labels = glob.split('.');
  const others = host.split('.');
  return labels.length === others.length && labels.every((label, index) => covers(label, others[index] ?? ''));
}

function covers(label: string, other: string): boolean {
  const pattern = label.split('*').map((part) => part.replaceAll(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.join('.*')}$`).test(other);
}
