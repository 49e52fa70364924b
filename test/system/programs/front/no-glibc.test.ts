import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import { frontEndName } from '../../../../build/executables/front-end.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import { requires } from '../../../lab/requires.ts';
import type { Support } from '../../../lab/requires.ts';
import { pluginName } from '../../../lab/warm/warm-host.ts';
import type { WarmHost } from '../../../lab/warm/warm-host.ts';
import { createFrontEndFixture, frontSupport } from './fixture.ts';

const loader = `/lib/ld-musl-${{ x64: 'x86_64', arm64: 'aarch64' }[hostArchitecture()]}.so.1`;
/** Of the host, which has the sockets of its brokers below /run. */
const root = '/run/musl';
const options = { env: { PATH: '/usr/sbin:/usr/bin' }, timeoutMs: 60_000 };
const request = {
  kind: 'CredentialProviderRequest',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  image: 'quay.io/a/b',
};

await t.test('a host with musl, and no glibc', requires(await muslSupport()), async (t) => {
  const host = await muslHostFor(t);
  const inRoot = (...command: readonly string[]): Promise<RunResult> =>
    host.run('chroot', [root, ...command], { ...options, input: JSON.stringify(request) });

  await t.test('it has the real loader of musl', async (t) => {
    t.match(await inRoot(loader, '--version'), { stderr: /^musl libc/ });
  });

  await t.test('the front end names why the full program cannot start', async (t) => {
    t.match(await inRoot(`/plugins/${pluginName}`), {
      code: 1,
      stdout: '',
      stderr:
        /^polycloud-credential-provider: polycloud-credential-provider-full cannot be started: the host has no glibc 2\.28; hint: [^\n]+\n$/,
    });
  });

  await t.test('with a broker it answers', async (t) => {
    const broker = await host.startBroker();
    t.match(await inRoot(`/plugins/${pluginName}`), { code: 0, stdout: /"auth":\{\}/, stderr: '' });
    await broker.stop();
  });

  await t.test('install refuses it in one line', async (t) => {
    const agent = executablePath('polycloud-node-agent', hostArchitecture());
    const result = await host.run(agent, ['install', '--host-root', root], { ...options, input: '' });
    t.match(result, {
      code: 1,
      stdout: '',
      stderr:
        /^polycloud-node-agent: the host cannot run the credential provider: it has musl instead of glibc; hint: [^\n]+\n$/,
    });
  });
});

async function muslSupport(): Promise<Support> {
  if (!existsSync(loader)) return { available: false, reason: 'needs the Debian package musl' };
  return frontSupport();
}

async function muslHostFor(t: Test): Promise<WarmHost> {
  const { host, stop } = await createFrontEndFixture();
  t.teardown(stop);
  const inside = (path: string): string => host.path(join(root, path));
  for (const folder of ['lib', 'plugins', 'proc', 'run/polycloud', 'var/lib/rancher/k3s', 'etc/systemd/system']) {
    await mkdir(inside(folder), { recursive: true, mode: 0o755 });
  }
  await writeFile(inside('etc/systemd/system/k3s.service'), '');
  await copyFile(loader, inside(loader));
  await copyFile(executablePath(frontEndName, hostArchitecture()), inside(`plugins/${pluginName}`));
  await copyFile(executablePath(pluginName, hostArchitecture()), inside(`plugins/${pluginName}-full`));
  for (const folder of ['/run/polycloud', '/proc']) {
    await host.run('mount', ['--bind', folder, `${root}${folder}`], { ...options, input: '' });
  }
  return host;
}
