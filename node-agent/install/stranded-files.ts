import { basename } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import type { HostRoot } from './host-root.ts';
import { kubeletFiles } from './inspect-host.ts';
import { entryNames } from './merge-config.ts';

export interface PlannedRestore {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  readonly left: readonly string[];
}

/**
 * A kubelet does not start if its flag names a file that does not exist, or an entry a program that does not: it would be
 * down after its next restart, which may be the next boot of the host.
 */
export function refuseStrandedFiles(host: HostRoot, { restored, removed, left }: PlannedRestore): void {
  const others = kubeletFiles(host).filter((path) => !restored.includes(path));
  for (const path of new Set([...left, ...others])) {
    if (removed.length === 0 || isProgram(path)) continue;
    const text = host.readText(path) ?? '';
    const names = entryNames(text);
    const gone = removed.find((each) => (isProgram(each) ? names.includes(basename(each)) : text.includes(each)));
    if (gone === undefined) continue;
    throw new Failure('misconfigured', `${path} was changed by others and still names ${gone}`, {
      remedy:
        'run install again, which keeps their changes, and then uninstall; or remove that from the file by hand: without it the kubelet would not start',
    });
  }
}

/** Programs have no ending. */
function isProgram(path: string): boolean {
  return /\/(?:polycloud-[\w-]+|[\w-]+-credential-provider|auth-provider-gcp)$/.test(path);
}
