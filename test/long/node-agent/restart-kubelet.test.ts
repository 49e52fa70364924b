import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { keys } from '../../../schemas/keys.ts';
import type { Lease } from '../../../schemas/kubernetes.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { installingNodeFor } from '../../lab/node/installing-node.ts';
import type { InstallingNode } from '../../lab/node/installing-node.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { systemdSupport } from '../../lab/node/systemd.ts';
import { requires } from '../../lab/requires.ts';

const configFile = '/etc/kubernetes/credential-providers/polycloud.yaml';
/** Valid, but the kubelet ends when it does not find the program. It has no flag that names this file yet. */
const badConfig = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: missing-program
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: [example.com]
    defaultCacheDuration: 0s
`;
const support = await nodeSupport();

await t.test(
  'a kubelet that does not start with its new files gets the old ones back',
  requires(support.available ? systemdSupport() : support),
  async (t) => {
    const host = await installingNodeFor(t, { [configFile]: badConfig });
    const { node, install, command } = host;

    await t.test('by the timer, and the installer reports it', async (t) => {
      const result = install();
      await restored(host);
      const { code, stderr } = await result;
      t.equal(code, 1);
      t.match(
        stderr,
        /the kubelet was not Ready with the new files in 60 s \(kubelet\.service .*\); the old ones are back/,
      );
      t.match(await failureOn(host), /the old ones are back/, 'the failure is on the Lease');
      const again = await install();
      t.match(again.stderr, /no kubelet is restarted any more .*; hint: .*kubectl .* annotate lease/s);
      t.equal(again.code, 1);
      t.notOk(existsSync(node.path('/etc/default/kubelet')), 'a failed cluster is left alone');
    });

    await t.test('also when the installer is killed right after the restart', async (t) => {
      const remove = ['annotate', 'lease', '-n', 'kube-system', 'polycloud-install', `${keys.installFailure}-`];
      await node.plane.kubectl(remove);
      // It prints nothing before its end, so it is ready at once.
      await node.startProgram('installer', command, () => Promise.resolve(true));
      await waitUntil({ what: 'the kubelet is restarting', withinMs: 60_000, everyMs: 10 }, () =>
        Promise.resolve(existsSync(node.path('/var/lib/polycloud/restart/phase.restarting')) ? true : undefined),
      );
      await node.killProgram('installer');
      await restored(host);
      t.equal(await failureOn(host), undefined, 'nobody could report it');
      t.match((await install()).stderr, /the old ones are back/, 'the next run does');
      t.match(await failureOn(host), /the old ones are back/);
    });
  },
);

/** The kubelet has stopped with the new files, and is back with the old ones. */
async function restored({ node }: InstallingNode): Promise<void> {
  const isThere = (path: string): boolean => existsSync(node.path(path));
  await waitUntil({ what: 'the kubelet has its new flags', withinMs: 60_000, everyMs: 10 }, () =>
    Promise.resolve(isThere('/var/lib/polycloud/restart/phase.restarting') ? true : undefined),
  );
  await waitUntil({ what: 'the old files are back', withinMs: 90_000, everyMs: 100 }, async () => {
    const isOld = !isThere('/etc/default/kubelet') && (await readFile(node.path(configFile), 'utf8')) === badConfig;
    if (!isOld) return undefined;
    const { stdout } = await node.run('/usr/bin/systemctl', ['is-active', 'kubelet.service'], {
      env: {},
      input: '',
      timeoutMs: 60_000,
    });
    return stdout.trim() === 'active' ? true : undefined;
  });
}

async function failureOn({ node }: InstallingNode): Promise<string | undefined> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/polycloud-install';
  const { body } = await node.plane.ask('GET', path);
  return (body as Lease).metadata.annotations?.[keys.installFailure];
}
