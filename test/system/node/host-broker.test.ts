import { chmod, lstat, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { systemdHostFor } from '../../lab/node/systemd-host.ts';
import type { SystemdHost } from '../../lab/node/systemd-host.ts';
import { systemdSupport } from '../../lab/node/systemd.ts';
import { requires } from '../../lab/requires.ts';

const agent = executablePath('polycloud-node-agent', hostArchitecture());
const binDirectory = '/var/lib/rancher/credentialprovider/bin';
const frontEnd = `${binDirectory}/polycloud-credential-provider`;
const [socket, hostSocket] = ['/run/polycloud/broker.sock', '/run/polycloud/host-broker.sock'];
const units = ['polycloud-broker.socket', 'polycloud-broker.service'];
const auth = { 'registry.example.com': { username: 'puller', password: 'lab-only' } };

/** Serves logins and nothing else, as in a pod; the API server is not there. */
const agentUnit = `[Service]
ExecStart=${agent} --node-name host --node-sync=false --kubeconfig /etc/agent.yaml --secure-port 0
`;

const support = [await namespaceSupport(), systemdSupport()].find(({ available }) => !available) ?? { available: true };

await t.test('the broker of a host with systemd', requires(support), async (t) => {
  const host = await hostFor(t);

  await t.test('install starts it', async (t) => {
    t.match(await host.install(), { hostBroker: 'running' });
    t.equal(await host.inodeOf(socket), await host.inodeOf(hostSocket), 'front ends find it');
    for (const unit of units) t.match(await host.systemctl('is-enabled', unit), { stdout: 'enabled\n' });
    await host.withoutFullProgram(async () => t.match(await host.pull(), { auth }));
    await host.systemctl('stop', 'polycloud-broker.service');
    await host.withoutFullProgram(async () => t.match(await host.pull(), { auth }, 'a request starts it again'));
    const before = await host.mainPid();
    t.match(await host.install(), { hostBroker: 'running', changed: [] });
    t.equal(await host.mainPid(), before, 'a second time changes nothing');
  });

  await t.test('no pull is lost while it and an agent hand over to each other', async (t) => {
    await host.systemctl('stop', ...units);
    const pulls = await host.startPulls();
    await host.systemctl('start', 'agent.service');
    await host.untilServedBy('agent');
    await host.systemctl('start', ...units);
    t.equal(await host.inodeOf(socket), await host.inodeOf(hostSocket), 'the host takes over at once');
    await host.systemctl('restart', 'polycloud-broker.service');
    await host.systemctl('restart', 'agent.service');
    await host.untilServedBy('host');
    await host.systemctl('stop', ...units);
    await host.untilServedBy('agent');
    await host.systemctl('stop', 'agent.service');
    const answers = await pulls.stop();
    t.ok(answers.length > 10, `${answers.length} pulls`);
    t.strictSame(
      answers.filter((answer) => !answer.startsWith('0 {') || !answer.includes('lab-only')),
      [],
    );
  });

  await t.test('uninstall stops it and leaves nothing', async (t) => {
    await host.systemctl('start', ...units);
    const { stdout } = await host.run(agent, ['uninstall', '--host-root', '/']);
    t.match(stdout, /^restored +\/etc\/systemd\/system\/polycloud-broker\.service$/m);
    t.match(await host.systemctl('list-units', '--all', '--plain', 'polycloud-*'), { stdout: /^0 loaded units/m });
    for (const path of [socket, hostSocket]) t.equal(await host.inodeOf(path), undefined);
    await t.rejects(readlink(join(host.root, 'etc/systemd/system/sockets.target.wants', units[0] ?? '')));
  });
});

interface BrokerHost extends SystemdHost {
  install(): Promise<unknown>;
  systemctl(...args: readonly string[]): ReturnType<SystemdHost['run']>;
  mainPid(): Promise<string>;
  /** What the kubelet gets. */
  pull(): Promise<unknown>;
  /** `undefined`: nothing is there. */
  inodeOf(path: string): Promise<number | undefined>;
  /** Until the agent knows that front ends reach it, or the host. */
  untilServedBy(which: 'agent' | 'host'): Promise<void>;
  /** Only a broker can answer meanwhile. */
  withoutFullProgram(check: () => Promise<unknown>): Promise<void>;
  /** Pulls one after the other; stopped, it returns exit code and output of each. */
  startPulls(): Promise<{ stop(): Promise<readonly string[]> }>;
}

async function hostFor(t: Test): Promise<BrokerHost> {
  const machine = await systemdHostFor(t);
  const { root, run } = machine;
  await writeHostFiles(root);
  const systemctl: BrokerHost['systemctl'] = async (...args) => run('/usr/bin/systemctl', args);
  const inodeOf: BrokerHost['inodeOf'] = async (path) => (await lstat(join(root, path)).catch(() => undefined))?.ino;
  const full = join(root, `${frontEnd}-full`);
  return {
    ...machine,
    systemctl,
    inodeOf,
    install: async () => {
      const { stdout, stderr } = await run(agent, ['install', '--host-root', '/', '--host-broker', '-o', 'json']);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as unknown;
    },
    mainPid: async () => (await systemctl('show', '--property=MainPID', 'polycloud-broker.service')).stdout,
    pull: async () => JSON.parse((await run('/bin/sh', ['-c', `${frontEnd} < /etc/request`])).stdout) as unknown,
    untilServedBy: async (which) => {
      const text = which === 'host' ? `broker: that of the host serves ${socket}\n` : /^broker: .* at \S+$/m;
      await waitUntil({ what: `the ${which} serves front ends`, withinMs: 60_000, everyMs: 100 }, async () =>
        (await run(agent, ['status'])).stdout.match(text) === null ? undefined : true,
      );
    },
    withoutFullProgram: async (check) => {
      await chmod(full, 0o644);
      await check();
      await chmod(full, 0o755);
    },
    startPulls: async () => {
      await systemctl('start', 'pulls.service');
      return {
        stop: async () => {
          await writeFile(join(root, 'run/stop-pulls'), '');
          await waitUntil({ what: 'the pulls have ended', withinMs: 60_000, everyMs: 20 }, async () =>
            (await systemctl('is-active', 'pulls.service')).stdout === 'active\n' ? undefined : true,
          );
          await rm(join(root, 'run/stop-pulls'));
          return (await readFile(join(root, 'run/pulls'), 'utf8')).split('\n').slice(0, -1);
        },
      };
    },
  };
}

async function writeHostFiles(root: string): Promise<void> {
  const login = { usernameFile: '/etc/polycloud/user', passwordFile: '/etc/polycloud/password' };
  const request = {
    kind: 'CredentialProviderRequest',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    image: 'registry.example.com/app',
  };
  const pulls = `while [ ! -e /run/stop-pulls ]; do
  answer=$(${frontEnd} < /etc/request 2>&1)
  echo "$? $answer" >> /run/pulls
  sleep 0.02
done`;
  const files: Readonly<Record<string, string>> = {
    'etc/polycloud/config.yaml': JSON.stringify({ registries: [{ match: 'registry.example.com', login }] }),
    'etc/polycloud/user': 'puller',
    'etc/polycloud/password': 'lab-only',
    'etc/request': JSON.stringify(request),
    'etc/agent.yaml': JSON.stringify({
      clusters: [{ name: 'none', cluster: { server: 'https://127.0.0.1:1' } }],
      contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
      users: [{ name: 'none', user: { token: 'none' } }],
      'current-context': 'none',
    }),
    'etc/pulls': pulls,
    'etc/systemd/system/k3s.service': '[Service]\nExecStart=/bin/true\n',
    'etc/systemd/system/agent.service': agentUnit,
    'etc/systemd/system/pulls.service': '[Service]\nExecStart=/bin/sh /etc/pulls\n',
  };
  for (const folder of ['var/lib/rancher/k3s', 'etc/polycloud']) await mkdir(join(root, folder), { recursive: true });
  // Only root can read them.
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text, { mode: 0o600 });
}
