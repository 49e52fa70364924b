import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { applyChanges } from '../../../node-agent/install/change-files.ts';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import type { HostRoot } from '../../../node-agent/install/host-root.ts';
import { inspectHost } from '../../../node-agent/install/inspect-host.ts';
import { findLayout } from '../../../node-agent/install/layouts.ts';
import type { Layout } from '../../../node-agent/install/layouts.ts';
import { planInstall } from '../../../node-agent/install/plan-install.ts';
import type { InstallPlan } from '../../../node-agent/install/plan-install.ts';
import { hostTrees } from './host-trees.ts';
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
    t.equal(again.isRestartNeeded, false);
    t.end();
  });
}

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

function writeTree(folder: string, tree: HostTree): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(tree)) {
    const path = join(folder, name);
    if (typeof content === 'string') writeFileSync(path, content);
    else writeTree(path, content);
  }
}

function planFor(t: Test, host: HostRoot): InstallPlan {
  const directory = join(t.testdirName, '../sources');
  mkdirSync(directory, { recursive: true });
  const sources = { program: join(directory, 'program'), frontEnd: join(directory, 'front-end') };
  for (const file of Object.values(sources)) writeFileSync(file, file);
  const plan = planInstall(inspectHost(host, layoutOf(host)), entries, sources);
  if (plan === undefined) throw new Error('nothing to write');
  return plan;
}

function layoutOf(host: HostRoot): Layout {
  const layout = findLayout(host);
  if (layout === undefined) throw new Error('no layout');
  return layout;
}
