import type { ChangedFile } from '../file-change.ts';
import { phaseFile } from './attempt.ts';

/** One file as the script restores it. */
export type RestoreStep = { readonly path: string } & ChangedFile['before'];

export interface RollbackPlan {
  /** In the order in which they are restored. */
  readonly steps: readonly RestoreStep[];
  /** The service to restart. */
  readonly service: string;
  /** What makes systemd start the timer at each boot. */
  readonly timerLink: string;
}

/**
 * A POSIX shell script that the host runs without us, also after a reboot. It does nothing if the restart was confirmed
 * before. If it fails, or is killed, systemd starts it again, and it does all of it again. Pure.
 */
export function rollbackScript({ steps, service, timerLink }: RollbackPlan): string {
  const [armed, restarting] = [quote(phaseFile('armed')), quote(phaseFile('restarting'))];
  const [undoing, restoring] = [quote(phaseFile('undoing')), quote(phaseFile('restoring'))];
  return `#!/bin/sh
# Written by polycloud-node-agent before it restarted the kubelet: restores the files of before.
mv -f ${armed} ${undoing} 2>/dev/null || mv -f ${restarting} ${restoring} 2>/dev/null
# What is still there could not be renamed, on a file system that is read-only: systemd tries again.
[ ! -e ${armed} ] && [ ! -e ${restarting} ] || exit 1
[ -e ${undoing} ] || [ -e ${restoring} ] || exit 0

failed=
copy() { rm -f "$2.polycloud-unfinished" && cp -p "$1" "$2.polycloud-unfinished" || failed=yes; }
link() { rm -f "$2.polycloud-unfinished" && ln -s "$1" "$2.polycloud-unfinished" || failed=yes; }
put() { mv -fT "$1.polycloud-unfinished" "$1" || failed=yes; }
${steps.flatMap(prepareLine).join('\n')}
sync
[ -z "$failed" ] || exit 1
${steps.map(restoreLine).join('\n')}
sync
[ -z "$failed" ] || exit 1

systemctl reset-failed ${quote(service)} 2>/dev/null
systemctl restart --no-block ${quote(service)} || exit 1
rm -f ${quote(timerLink)}
mv -f ${undoing} ${quote(phaseFile('undone'))} 2>/dev/null || mv -f ${restoring} ${quote(phaseFile('restored'))}
sync
`;
}

/** What takes the place of a file is complete on the disk before it does. */
function prepareLine(step: RestoreStep): readonly string[] {
  if (step.kind === 'absent') return [];
  const path = quote(step.path);
  return [step.kind === 'link' ? `link ${quote(step.target)} ${path}` : `copy ${quote(step.backup)} ${path}`];
}

function restoreLine({ kind, path }: RestoreStep): string {
  return kind === 'absent' ? `rm -f ${quote(path)} || failed=yes` : `put ${quote(path)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
