import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import { connectToSystemd } from '../../../node-agent/install/systemd/systemd.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { systemdHostFor } from '../../lab/node/systemd-host.ts';
import { systemdSupport } from '../../lab/node/systemd.ts';
import { requires } from '../../lab/requires.ts';

const namespaces = await namespaceSupport();

await t.test('systemd does over D-Bus what it is asked for', requires(namespaces), async (t) => {
  await t.test('with a real one', requires(systemdSupport()), async (t) => {
    const { root, run } = await systemdHostFor(t);
    const systemctl = async (...args: readonly string[]): Promise<string> =>
      (await run('/usr/bin/systemctl', args)).stdout.trim();
    const systemd = await connectToSystemd(openHostRoot(root));
    t.teardown(() => systemd.close());
    t.equal(await systemd.unitState('sleeper.service'), undefined, 'there is no such unit');

    const unit = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n';
    await writeFile(join(root, 'etc/systemd/system/sleeper.service'), unit);
    await writeFile(join(root, 'etc/systemd/system/broken.service'), '[Service]\nType=oneshot\nExecStart=/bin/false\n');
    await systemd.reload();
    t.strictSame(await systemd.unitState('sleeper.service'), { active: 'inactive' });

    await systemd.startUnit('sleeper.service');
    t.equal(await systemctl('is-active', 'sleeper.service'), 'active');
    const first = await systemd.unitState('sleeper.service');
    t.match(first, { active: 'active', mainStartedAtMs: Number });

    const before = Date.now();
    await systemd.restartUnit('sleeper.service');
    const second = await systemd.unitState('sleeper.service');
    t.ok((second?.mainStartedAtMs ?? 0) >= before, 'its main process is a new one');

    await systemd.enableUnit('sleeper.service');
    t.equal(await systemctl('is-enabled', 'sleeper.service'), 'enabled');
    await systemd.disableUnit('sleeper.service');
    t.equal(await systemctl('is-enabled', 'sleeper.service'), 'disabled');
    await systemd.stopUnit('sleeper.service');
    t.strictSame(await systemd.unitState('sleeper.service'), { active: 'inactive' });

    await t.rejects(systemd.startUnit('broken.service'), { message: /StartUnit broken.service .* failed/ });
    await t.rejects(systemd.startUnit('none.service'), { message: /none.service not found/, kind: 'unavailable' });
    systemd.close();
    await t.rejects(systemd.reload(), { message: /was closed/ });
  });
});
