import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { brokerServiceUnit, brokerSocketUnit, brokerUnits } from '../../../node-agent/install/broker-units.ts';
import { runCommand } from '../../lab/network/run-command.ts';

const analyze = '/usr/bin/systemd-analyze';
const skip = !existsSync(analyze) && 'needs the Debian package systemd';
const options = { env: { PATH: '/usr/bin:/bin' }, input: '', timeoutMs: 60_000 };
/** In tenths, as `systemd-analyze security` rates a service: a usual one of root has 96. */
const worstExposure = 20;

await t.test('systemd accepts the units of the broker without a remark', { skip }, async (t) => {
  const directory = t.testdir({ ...brokerUnits('/bin/true') });
  const files = [brokerSocketUnit, brokerServiceUnit].map((name) => join(directory, name));
  t.match(await runCommand(analyze, ['verify', ...files], options), { code: 0, stdout: '', stderr: '' });
});

await t.test('the service can do little besides its work', { skip }, async (t) => {
  const service = join(t.testdir({ ...brokerUnits('/bin/true') }), brokerServiceUnit);
  const args = ['security', '--offline=true', `--threshold=${worstExposure}`, '--no-pager', service];
  const { code, stdout, stderr } = await runCommand(analyze, args, options);
  t.equal(code, 0, stderr);
  t.match(stdout, /Overall exposure level for \S+: \d/);
});
