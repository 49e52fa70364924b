import { existsSync } from 'node:fs';
import t from 'tap';
import { ensureDebianPackages } from './debian-packages.ts';

const said: string[] = [];
const say = (line: string): void => void said.push(line);

await t.test('without permission to install, it names what is missing', async (t) => {
  t.intercept(process, 'env', { value: { ...process.env, POLYCLOUD_NO_INSTALL: '1' } });
  const { missing, remedy } = await ensureDebianPackages(['no-such-package', 'nor-this-one'], say);
  t.strictSame(missing, ['no-such-package', 'nor-this-one']);
  t.match(remedy, /^apt-get install --no-install-recommends no-such-package nor-this-one \(.+\)$/);
  t.strictSame(said, []);
});

await t.test(
  'what is there is not asked for again',
  { skip: !existsSync('/usr/bin/dpkg-query') && 'needs Debian' },
  async (t) => {
    t.strictSame(await ensureDebianPackages(['base-files', 'libc6'], say), { missing: [] });
    t.strictSame(said, []);
  },
);

await t.test('nothing asked for, nothing missing', async (t) => {
  t.strictSame(await ensureDebianPackages([], say), { missing: [] });
});
