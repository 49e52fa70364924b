import { join } from 'node:path';
import t from 'tap';
import { asHostFailure, mountObstacle, openHostRoot } from '../../../node-agent/install/host-root.ts';

await t.test('a link on the host leads to the host', (t) => {
  const root = t.testdir({
    real: { file: 'of the host', folder: { inner: 'inside' } },
    absolute: t.fixture('symlink', '/real/folder'),
    up: t.fixture('symlink', '../../../../real'),
    relative: t.fixture('symlink', 'real/folder'),
    etc: { passwd: t.fixture('symlink', '/real/file'), dangling: t.fixture('symlink', '/nowhere') },
    loop: t.fixture('symlink', '/loop'),
  });
  const host = openHostRoot(root);
  t.equal(host.readText('/etc/passwd'), 'of the host');
  t.equal(host.readText('/absolute/inner'), 'inside');
  t.equal(host.readText('/relative/inner'), 'inside');
  t.equal(host.readText('/up/file'), 'of the host', '.. does not leave the root');
  t.equal(host.readText('/etc/dangling'), undefined);
  t.equal(host.locate('/absolute/new'), join(root, 'real/folder/new'));
  t.equal(host.locate('/etc/passwd'), join(root, 'etc/passwd'), 'a link at the end stays');
  t.equal(host.kindOf('/etc/passwd'), 'link');
  t.equal(host.kindOf('/etc/passwd/below'), 'absent');
  t.strictSame(host.list('/absolute'), ['inner']);
  t.strictSame(host.list('/nowhere'), []);
  t.throws(() => host.readText('/loop'), { message: /too many links/ });
  t.throws(() => openHostRoot(join(root, 'nowhere')), { message: /--host-root .* is not a folder/ });
  t.end();
});

await t.test('an error of the file system is a failure that names the file', (t) => {
  const errorOf = (code: string): Error => Object.assign(new Error(code), { code, path: '/etc/x' });
  t.match(asHostFailure(errorOf('EACCES')), {
    message: '/etc/x cannot be read or written (EACCES)',
    remedy: 'start it as root',
  });
  t.match(asHostFailure(errorOf('ENOSPC')), {
    message: '/etc/x cannot be read or written (ENOSPC)',
    remedy: /second run/,
  });
  const other = new TypeError('a mistake of ours');
  t.equal(asHostFailure(other), other);
  t.end();
});

await t.test('a mount where programs cannot be put or started is an obstacle', (t) => {
  const mounts = [
    '1 0 8:1 / / rw,relatime - ext4 /dev/root rw',
    '2 1 8:2 / /host ro,relatime - ext4 /dev/root ro',
    '3 2 8:3 / /host/var rw,nosuid,noexec - ext4 /dev/var rw',
    String.raw`4 3 8:4 / /host/var/with\040space rw - ext4 /dev/x rw`,
    '5 3 8:5 / /host/opt ro - ext4 /dev/o rw',
    '6 3 8:6 / /host/opt rw - ext4 /dev/p rw',
  ].join('\n');
  t.equal(mountObstacle('/host/usr/bin', mounts), 'read-only');
  t.equal(mountObstacle('/host/var/lib/kubelet', mounts), 'noexec');
  t.equal(mountObstacle('/host/variety', mounts), 'read-only', 'a name that only begins the same');
  t.equal(mountObstacle('/host/var/with space/bin', mounts), undefined);
  t.equal(mountObstacle('/host/opt/bin', mounts), undefined, 'the last mount at a place counts');
  t.end();
});
