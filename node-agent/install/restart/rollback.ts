import { chmodSync, constants, copyFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Failure } from '../../../lib/failure.ts';
import type { HostRoot } from '../host-root.ts';
import type { KnownGood } from '../host-work.ts';
import { putFile } from '../put-file.ts';
import type { Systemd } from '../systemd/systemd.ts';
import { attemptDirectory } from './attempt.ts';
import { rollbackScript } from './rollback-script.ts';
import type { RestoreStep } from './rollback-script.ts';

/** The node has this long to be Ready with the new files. */
export const confirmWithinMs = 60_000;

export const rollbackService = 'polycloud-install-rollback.service';
const timer = 'polycloud-install-rollback.timer';
const unitFolder = '/etc/systemd/system';
const script = `${attemptDirectory}/rollback.sh`;

const units: Readonly<Record<string, string>> = {
  [rollbackService]: `[Unit]
Description=Restore the kubelet's files, since its restart by polycloud was not confirmed
RequiresMountsFor=${attemptDirectory}
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/sh ${script}
Restart=on-failure
RestartSec=5
`,
  // At a boot it starts from 0.
  [timer]: `[Unit]
Description=The time that polycloud has to confirm a restart of the kubelet

[Timer]
OnActiveSec=${confirmWithinMs / 1_000}
AccuracySec=1
Unit=${rollbackService}

[Install]
WantedBy=timers.target
`,
};

/** Keeps copies of the files, and writes the script and the units that restore them without us. */
export function prepareRollback(host: HostRoot, files: readonly KnownGood[], service: string): void {
  const steps = files.map((file, index) => keep(host, file, `${attemptDirectory}/before/${String(index)}`));
  const link = `${unitFolder}/timers.target.wants/${timer}`;
  // The last change is undone first.
  const text = rollbackScript({ steps: steps.toReversed(), service, timerLink: link });
  putFile(host, script, (file) => writeFileSync(file, text, { mode: 0o700 }));
  for (const [name, unit] of Object.entries(units)) {
    putFile(host, `${unitFolder}/${name}`, (file) => writeFileSync(file, unit, { mode: 0o644 }));
  }
}

function keep(host: HostRoot, file: KnownGood, copy: string): RestoreStep {
  const { path } = file;
  if (file.kind === 'absent' || file.kind === 'link') return file;
  // Also a copy of before an installation, which goes with the record of the installation.
  const source = file.kind === 'now' ? path : file.backup;
  const kind = host.kindOf(source);
  if (kind === 'absent') return { path, kind };
  if (kind === 'link') return { path, kind, target: readlinkSync(host.locate(source)) };
  if (kind !== 'file') {
    throw new Failure('misconfigured', `${source} is neither a file nor a link`, { remedy: 'move it away' });
  }
  const { mode } = statSync(host.locate(source));
  putFile(host, copy, (unfinished) => {
    // Without copying, where the file system can.
    copyFileSync(host.locate(source), unfinished, constants.COPYFILE_FICLONE);
    chmodSync(unfinished, mode);
  });
  return { path, kind, backup: copy, mode };
}

/** Starts the timer. It is enabled first, so that it starts after a reboot too. */
export async function armRollback(systemd: Systemd): Promise<void> {
  await systemd.reload();
  await systemd.enableUnit(timer);
  // One that has elapsed would not start again.
  await systemd.restartUnit(timer);
}

/** Removes the units. Those of a killed installer may be there in part. */
export async function disarmRollback(host: HostRoot, systemd: Systemd): Promise<void> {
  if ((await systemd.unitState(timer)) !== undefined) {
    await systemd.stopUnit(timer);
    await systemd.disableUnit(timer);
  }
  for (const name of Object.keys(units)) rmSync(host.locate(`${unitFolder}/${name}`), { force: true });
  await systemd.reload();
}
