import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { applyChanges } from '../../../node-agent/install/change-files.ts';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import type { HostRoot } from '../../../node-agent/install/host-root.ts';
import { inspectHost, layoutOf } from '../../../node-agent/install/inspect-host.ts';
import { findLayout } from '../../../node-agent/install/layouts.ts';
import { planInstall } from '../../../node-agent/install/plan-install.ts';
import type { InstallPlan } from '../../../node-agent/install/plan-install.ts';
import { hostTrees, writeTree } from './host-trees.ts';
import type { HostTree } from './host-trees.ts';

const entries = [
  { name: 'polycloud-credential-provider-aws-pod', matchImages: ['*.dkr.ecr.*.amazonaws.com'] },
  { name: 'polycloud-credential-provider', matchImages: ['*.dkr.ecr.*.amazonaws.com'] },
];
const ours = ['-full', '', '-aws-pod'].map((ending) => `polycloud-credential-provider${ending}`);

interface Case {
  readonly host: string;
  readonly layout: string;
  readonly folder: string;
  /** Beside our own programs in the folder. */
  readonly others: readonly string[];
  readonly restart: boolean;
  readonly service: string;
}

const cases: readonly Case[] = [
  ...[
    { host: 'EKS', folder: '/etc/eks/image-credential-provider', name: 'ecr-credential-provider' },
    { host: 'AKS', folder: '/var/lib/kubelet/credential-provider', name: 'acr-credential-provider' },
    { host: 'GKE', folder: '/home/kubernetes/bin', name: 'auth-provider-gcp' },
  ].map(({ host, folder, name }) => ({
    host,
    layout: host,
    folder,
    others: [`${folder}/${name}`],
    restart: false,
    service: 'kubelet.service',
  })),
  ...[
    { host: 'kubeadm on Debian', flags: '/etc/default/kubelet' },
    { host: 'kubeadm on Fedora', flags: '/etc/sysconfig/kubelet' },
  ].map(({ host, flags }) => ({
    host,
    layout: 'kubeadm',
    folder: '/usr/lib/polycloud/credential-provider',
    others: ['/etc/kubernetes/credential-providers/polycloud.yaml', flags],
    restart: true,
    service: 'kubelet.service',
  })),
  ...[
    { host: 'k3s', service: 'k3s-agent.service' },
    { host: 'RKE2', service: 'rke2-server.service' },
  ].map(({ host, service }) => ({
    host,
    layout: host,
    folder: '/var/lib/rancher/credentialprovider/bin',
    others: ['/var/lib/rancher/credentialprovider/config.yaml'],
    restart: true,
    service,
  })),
  {
    host: 'MicroK8s',
    layout: 'MicroK8s',
    folder: '/var/snap/microk8s/common/polycloud/bin',
    others: [
      '/var/snap/microk8s/common/polycloud/credential-providers.yaml',
      '/var/snap/microk8s/current/args/kubelet',
    ],
    restart: true,
    service: 'snap.microk8s.daemon-kubelite.service',
  },
];

for (const { host: name, layout, folder, others, restart, service } of cases) {
  await t.test(`${name}: what is written, and that a second time nothing is`, (t) => {
    const host = openHost(t, name);
    const plan = planFor(t, host);
    t.equal(findLayout(host)?.name, layout);
    t.strictSame(
      plan.changes.map(({ path }) => path),
      [...ours.map((each) => `${folder}/${each}`), ...others],
    );
    t.equal(plan.isRestartNeeded, restart);
    t.equal(inspectHost(host, layoutOf(host)).service, service);
    applyChanges(host, plan.changes);
    const again = planFor(t, host);
    t.strictSame(applyChanges(host, again.changes), []);
    const hasKubelet = inspectHost(host, layoutOf(host)).kubelet !== undefined;
    t.equal(again.isRestartNeeded, hasKubelet && restart, 'needed until the kubelet that runs was restarted');
    t.end();
  });
}

await t.test('the restart is needed until the kubelet has started after the last change', (t) => {
  const host = openHost(t, 'kubeadm on Debian');
  const plan = planFor(t, host);
  applyChanges(host, plan.changes);
  t.ok(planFor(t, host).isRestartNeeded);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const startedAt = (seconds: number): void => {
    const fields = ['S', ...Array.from({ length: 18 }, () => '0'), String((seconds - nowSeconds + 1_000) * 100)];
    writeTree(host.locate('/'), {
      proc: {
        stat: `cpu 1 2\nbtime ${String(nowSeconds - 1_000)}\n`,
        '90': {
          cmdline: kubelet(plan.paths.config, plan.paths.binDirectory),
          stat: `90 (ku) (let) ${fields.join(' ')}`,
        },
      },
    });
  };
  startedAt(nowSeconds - 60);
  t.ok(planFor(t, host).isRestartNeeded, 'it has the flags, and not the newest file');
  startedAt(nowSeconds + 60);
  t.notOk(planFor(t, host).isRestartNeeded);
  t.end();
});

await t.test('registries that the operator names are added to the vendor’s entries', (t) => {
  const host = openHost(t, 'EKS');
  const plan = planFor(t, host, true);
  t.strictSame(plan.replaced, ['ecr-credential-provider']);
  t.match(plan.changes.at(-1), {
    path: '/etc/eks/image-credential-provider/config.json',
    text: /polycloud-credential-provider/,
  });
  t.ok(plan.isRestartNeeded);
  t.end();
});

await t.test('kubeadm: the flags are added to those of the operator', (t) => {
  const host = openHost(t, 'kubeadm on Fedora');
  applyChanges(host, planFor(t, host).changes);
  t.equal(
    host.readText('/etc/sysconfig/kubelet'),
    '# by hand\nKUBELET_EXTRA_ARGS="--cloud-provider=external' +
      ' --image-credential-provider-config=/etc/kubernetes/credential-providers/polycloud.yaml' +
      ' --image-credential-provider-bin-dir=/usr/lib/polycloud/credential-provider"\n',
  );
  t.end();
});

await t.test('MicroK8s: the flags are lines of their own', (t) => {
  const host = openHost(t, 'MicroK8s');
  applyChanges(host, planFor(t, host).changes);
  t.match(
    host.readText('/var/snap/microk8s/current/args/kubelet'),
    /^--kubeconfig=.*\n--image-credential-provider-config=/,
  );
  t.end();
});

await t.test('a kubelet that has the flags on any distribution gets an entry in its own file', (t) => {
  const host = openHost(t, 'kubeadm on Debian', {
    proc: { '90': { cmdline: kubelet('/etc/theirs/providers.yaml', '/opt/theirs') } },
    etc: {
      theirs: {
        'providers.yaml':
          'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n  - name: other # kept\n',
      },
    },
  });
  const plan = planFor(t, host);
  t.strictSame(
    plan.changes.map(({ path }) => path),
    [...ours.map((each) => `/opt/theirs/${each}`), '/etc/theirs/providers.yaml'],
  );
  t.equal(plan.isRestartNeeded, true);
  const text = plan.changes.at(-1);
  t.match(text, {
    text: /polycloud-credential-provider-aws-pod[^]*- name: polycloud-credential-provider\n[^]*name: other # kept/,
  });
  t.end();
});

await t.test('in a folder of configuration files we have a file of our own', (t) => {
  const host = openHost(t, 'kubeadm on Debian', {
    proc: { '90': { cmdline: kubelet('/etc/theirs', '/opt/theirs') } },
    etc: { theirs: { 'one.yaml': 'providers: []\n' } },
  });
  t.equal(planFor(t, host).changes.at(-1)?.path, '/etc/theirs/polycloud.yaml');
  t.end();
});

await t.test('a file that is no configuration of the kubelet is not touched', (t) => {
  const host = openHost(t, 'k3s', {
    var: { lib: { rancher: { credentialprovider: { 'config.yaml': 'providers: 7\n' } } } },
  });
  t.throws(() => planFor(t, host), { message: /config\.yaml is not a file for the kubelet's credential providers/ });
  t.end();
});

await t.test('Talos and OpenShift are configured by a text, Bottlerocket not at all, others are unknown', (t) => {
  const wayOf = (name: string): string | undefined => findLayout(openHost(t, name))?.way.kind;
  t.strictSame(['Talos', 'OpenShift', 'Bottlerocket'].map(wayOf), ['print', 'print', 'refuse']);
  t.equal(findLayout(openHostRoot(t.testdir({ etc: {} }))), undefined);
  t.end();
});

function kubelet(config: string, folder: string): string {
  return `/usr/bin/kubelet\0--image-credential-provider-config=${config}\0--image-credential-provider-bin-dir=${folder}\0`;
}

function openHost(t: Test, name: string, more: HostTree = {}): HostRoot {
  const root = t.testdir({});
  for (const tree of [hostTrees[name] ?? {}, more]) writeTree(root, tree);
  return openHostRoot(root);
}

function planFor(t: Test, host: HostRoot, areNamed = false): InstallPlan {
  const directory = join(t.testdirName, '../sources');
  mkdirSync(directory, { recursive: true });
  const sources = { program: join(directory, 'program'), frontEnd: join(directory, 'front-end') };
  for (const file of Object.values(sources)) writeFileSync(file, file);
  const layout = layoutOf(host);
  const { way } = layout;
  if (way.kind === 'print' || way.kind === 'refuse') throw new Error('nothing to write');
  return planInstall(inspectHost(host, layout), way, { entries, areNamed }, sources);
}
