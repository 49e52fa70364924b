import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { rollbackScript } from '../../../../node-agent/install/restart/rollback-script.ts';

await t.test('if the phase cannot be entered, it fails, so that systemd tries again', (t) => {
  const folder = t.testdir({ 'phase.restarting': '', commands: { mv: '#!/bin/sh\nexit 1\n' } });
  chmodSync(join(folder, 'commands/mv'), 0o755);
  const script = rollbackScript({ steps: [], service: 'kubelet.service', timerLink: join(folder, 'link') });
  const below = script.replaceAll('/var/lib/polycloud/restart', folder);
  const { status } = spawnSync('/bin/sh', ['-c', below], { env: { PATH: `${folder}/commands:/usr/bin:/bin` } });
  t.equal(status, 1);
  t.strictSame(readdirSync(folder), ['commands', 'phase.restarting']);

  writeFileSync(join(folder, 'confirmed'), script.replaceAll('/var/lib/polycloud/restart', join(folder, 'commands')));
  t.equal(spawnSync('/bin/sh', [join(folder, 'confirmed')]).status, 0, 'nothing to undo');
  t.end();
});
