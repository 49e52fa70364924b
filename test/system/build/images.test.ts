import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { architectures, hostArchitecture } from '../../../build/architecture.ts';
import type { Architecture } from '../../../build/architecture.ts';
import { findProgram } from '../../../build/executables/emulation.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { baseEntries } from '../../../build/images/base-layer.ts';
import { fetchDebianFiles, imageObstacle } from '../../../build/images/debian-files.ts';
import { images, makeImages } from '../../../build/images/make-images.ts';
import { runOrThrow } from '../../../build/run.ts';
import { requires } from '../../lab/requires.ts';
import { containerdSupport, startContainerd } from './private-containerd.ts';
import { readArchive } from '../../build/images/read-archive.ts';
import { runFile } from './run-file.ts';

const obstacle = imageObstacle() ?? (process.getuid?.() === 0 ? undefined : 'root, to start a program in another root');
const host = hostArchitecture();
const libraries = ['libc.so.6', 'libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libpthread.so.0', 'libstdc++.so.6'];

const libraryFolder: Readonly<Record<Architecture, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

const emulators: Readonly<Record<Architecture, string>> = { x64: 'qemu-x86_64', arm64: 'qemu-aarch64' };

await t.test('the images of the programs', { skip: obstacle ?? false }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'images-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const order = { architectures: [host], commit: 'abc', workDirectory: join(directory, 'work'), directory };
  const files = await makeImages({ ...order, log: () => undefined });
  t.same(
    files,
    images.map(({ name }) => join(directory, `${name}.tar`)),
  );
  const bases = new Set<string>();

  for (const { name } of images) {
    await t.test(name, async (t) => {
      const [opened, root] = [join(directory, `${name}-opened`), join(directory, `${name}-root`)];
      mkdirSync(opened);
      mkdirSync(root);
      const { names, variants } = await readArchive(join(directory, `${name}.tar`), opened);
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      t.match(names, [{ 'io.containerd.image.name': `localhost/${name}:${version}` }]);
      const [variant, ...others] = variants;
      if (variant === undefined) throw new Error('no variant');
      t.same(others, []);
      t.match(variant.config.config.Labels, {
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': 'abc',
        'dev.polycloud.debian-packages': /^ca-certificates \S+, libc6 \S+, libgcc-s1 \S+, libstdc\+\+6 \S+$/,
      });
      for (const layer of variant.layers) await unpack(layer, root);
      bases.add(variant.layers[0] ?? '');
      const programs = readdirSync(join(root, 'usr/local/bin')).filter((each) => each !== `${name}-front`);
      t.same(programs, [name]);
      t.same(readdirSync(join(root, `lib/${libraryFolder[host]}`)).toSorted(), libraries);
      t.notOk(existsSync(join(root, 'bin')), 'nothing to run beside it');
      t.ok(
        readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8').split('BEGIN CERTIFICATE').length > 100,
      );
      t.equal(readFileSync(join(root, 'etc/host.conf'), 'utf8'), 'multi on\n', 'both families of a name in /etc/hosts');
      const answer = await runConfined(root, `/usr/local/bin/${name}`, ['--version']);
      t.match(answer, { code: 0, stderr: '', stdout: new RegExp(`^${name} ${version} `) });
      if (name === 'polycloud-credential-provider') await checkCopier(t, root, name);
    });
  }
  const containerd = containerdSupport();
  await t.test('containerd takes them as they are', requires(containerd), async (t) => {
    const ctr = await startContainerd(t, join(directory, 'containerd'));
    for (const file of files) await ctr(['images', 'import', '--snapshotter', 'native', file]);
    const listed = await ctr(['images', 'list', '--quiet']);
    t.same(
      listed
        .trim()
        .split('\n')
        .map((reference) => reference.replace(/:[^:]*$/, '')),
      images.map(({ name }) => `localhost/${name}`).toSorted(),
    );
    const checked = await ctr(['images', 'check', '--snapshotter', 'native']);
    t.equal(checked.match(/complete \(3\/3\).* true/g)?.length, images.length, checked);
  });
  t.equal(new Set([...bases].map((file) => file.split('/').at(-1))).size, 1, 'they share all but the program');
});

for (const arch of architectures.filter((each) => each !== host)) {
  const emulator = findProgram(emulators[arch]);
  const skip = obstacle ?? (emulator === undefined ? `${emulators[arch]}, to run what is in it` : false);
  await t.test(`what is under a program for ${arch} is enough for it`, { skip }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'images-'));
    t.teardown(() => rmSync(directory, { recursive: true }));
    const program = executablePath('polycloud-ccm', arch);
    const debian = await fetchDebianFiles(arch, directory);
    const root = join(directory, 'root');
    for (const entry of await baseEntries(arch, [program], debian)) {
      if (entry.kind !== 'file') continue;
      mkdirSync(dirname(join(root, entry.path)), { recursive: true });
      writeFileSync(join(root, entry.path), entry.content, { mode: entry.mode });
    }
    const answer = await runFile(emulator ?? '', { args: ['-L', root, program, '--version'], env: {} });
    t.match(answer, { code: 0, stdout: /^polycloud-ccm / });
  });
}

/** As an unprivileged user, with nothing to write to but a volume. */
async function checkCopier(t: Test, root: string, name: string): Promise<void> {
  const target = join(root, 'target');
  mkdirSync(target);
  t.match(await runConfined(root, `/usr/local/bin/${name}`, ['copy', '/target']), {
    code: 1,
    stdout: '',
    stderr: /cannot be written .*; hint: use a directory that this user can write to\n$/,
  });
  const volumeOfUser = 'mount -t tmpfs -o uid=65532,mode=755 volume "$0/target" &&';
  t.match(await runConfined(root, `/usr/local/bin/${name}`, ['copy', '/target'], volumeOfUser), {
    code: 0,
    stderr: '',
    stdout: `wrote /target/${name}\nwrote /target/${name}-front\n`,
  });
}

function unpack(layer: string, root: string): Promise<string> {
  return runOrThrow('tar', ['--extract', '--gzip', '--file', layer, '--directory', root], { stdin: '' });
}

/** As in a pod: only the image, read-only, with an unprivileged user. */
function runConfined(root: string, program: string, args: readonly string[], prepare = ''): ReturnType<typeof runFile> {
  const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
  const script = `${readOnly} && ${prepare} exec chroot --userspec=65532:65532 "$0" "$@"`;
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  return runFile('unshare', { args: ['--mount', 'sh', '-c', script, root, program, ...args], env });
}
