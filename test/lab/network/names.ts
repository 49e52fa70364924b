import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `ip netns exec` mounts over /etc is below this, by the namespace's name. */
const configurationDirectory = '/etc/netns';

/** Where something of a namespace may be found. */
export const namespaceDirectories: readonly string[] = ['/run/netns', configurationDirectory, tmpdir()];

/** A unique name for a namespace that names the process that created it. */
export function uniqueName(): string {
  return `polycloud-${String(process.pid)}-${randomBytes(4).toString('hex')}`;
}

export function filesOf(name: string): string {
  return join(configurationDirectory, name);
}

/** A directory for files of the namespace's owner. It is removed together with the namespace. */
export function workDirectoryOf(name: string): string {
  return join(tmpdir(), `${name}.work`);
}

/** The name and its creator, from an entry in one of the directories above. */
export function parseName(entry: string): { readonly name: string; readonly pid: string } | undefined {
  const { name, pid } = /^(?<name>polycloud-(?<pid>\d+)-[0-9a-f]{8})(\.work)?$/.exec(entry)?.groups ?? {};
  return name !== undefined && pid !== undefined ? { name, pid } : undefined;
}
