import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import { beginAttempt, enterPhase, readPhase } from '../../../node-agent/install/restart/attempt.ts';
import {
  armRollback,
  disarmRollback,
  prepareRollback,
  rollbackService,
} from '../../../node-agent/install/restart/rollback.ts';
import { connectToSystemd } from '../../../node-agent/install/systemd/systemd.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { systemdHostFor } from '../../lab/node/systemd-host.ts';
import { systemdSupport } from '../../lab/node/systemd.ts';
import { requires } from '../../lab/requires.ts';

const timer = 'polycloud-install-rollback.timer';
const namespaces = await namespaceSupport();

await t.test(
  'a real systemd starts the timer at a boot, and restores the files',
  requires(namespaces.available ? systemdSupport() : namespaces),
  async (t) => {
    const { root, run } = await systemdHostFor(t);
    const host = openHostRoot(root);
    const systemd = await connectToSystemd(host);
    t.teardown(() => systemd.close());
    const systemctl = async (...args: readonly string[]): Promise<string> =>
      (await run('/usr/bin/systemctl', args)).stdout.trim();
    await writeFile(join(root, 'etc/systemd/system/worker.service'), '[Service]\nExecStart=/bin/sleep infinity\n');
    await systemd.reload();
    await systemd.startUnit('worker.service');
    const before = await systemd.unitState('worker.service');
    await writeFile(join(root, 'etc/worker.conf'), 'old\n');

    beginAttempt(host);
    prepareRollback(
      host,
      ['/etc/worker.conf', '/etc/worker-new.conf'].map((path) => ({ path, kind: 'now' })),
      'worker.service',
    );
    const { stderr } = await run('/usr/bin/systemd-analyze', [
      'verify',
      ...[timer, rollbackService].map((name) => `/etc/systemd/system/${name}`),
    ]);
    t.equal(stderr, '', 'the units have no mistake');
    await armRollback(systemd);
    t.ok(enterPhase(host, 'waiting', 'armed'));
    t.equal((await systemd.unitState(timer))?.active, 'active');

    // As a boot does it: all units are read, and the target starts what is enabled for it.
    await systemctl('stop', timer, 'timers.target');
    await systemctl('daemon-reload');
    await systemctl('start', 'timers.target');
    t.equal(await systemctl('is-active', timer), 'active');

    t.ok(enterPhase(host, 'armed', 'restarting'));
    await writeFile(join(root, 'etc/worker.conf'), 'new\n');
    await writeFile(join(root, 'etc/worker-new.conf'), 'new\n');
    await systemd.startUnit(rollbackService);
    t.equal(readPhase(host), 'restored');
    t.equal(await readFile(join(root, 'etc/worker.conf'), 'utf8'), 'old\n');
    t.equal(host.kindOf('/etc/worker-new.conf'), 'absent');
    // The job of the restart is queued: this start waits behind it.
    await systemd.startUnit('worker.service');
    const after = await systemd.unitState('worker.service');
    t.ok((after?.mainStartedAtMs ?? 0) > (before?.mainStartedAtMs ?? 0), 'the service has restarted');

    await disarmRollback(host, systemd);
    t.equal(await systemd.unitState(timer), undefined);
    t.equal(await systemd.unitState(rollbackService), undefined);
  },
);
