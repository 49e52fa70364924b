import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import { install, uninstall } from '../../../node-agent/install/install.ts';
import type { InstallRequest } from '../../../node-agent/install/install.ts';
import { installText, uninstallText } from '../../../node-agent/install/report.ts';
import { hostTrees, libraries, writeTree } from './host-trees.ts';
import type { HostTree } from './host-trees.ts';

const entries = [
  {
    name: 'polycloud-credential-provider',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    matchImages: ['*.dkr.ecr.*.amazonaws.com'],
    defaultCacheDuration: '0s',
  },
];
const folder = '/usr/lib/polycloud/credential-provider';

const broken = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: other
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    defaultCacheDuration: 1m
`;

await t.test('install and uninstall, in words', (t) => {
  const request = prepare(t, 'kubeadm on Debian');
  t.equal(
    installText(install(request), false),
    [
      'layout   kubeadm',
      `wrote    ${folder}/polycloud-credential-provider-full`,
      `wrote    ${folder}/polycloud-credential-provider`,
      'wrote    /etc/kubernetes/credential-providers/polycloud.yaml',
      'wrote    /etc/default/kubelet',
      'restart  systemctl restart kubelet.service, one node at a time: the kubelet reads its configuration only when it starts',
      '',
    ].join('\n'),
  );
  t.match(
    installText(install(request), false),
    /unchanged .*\n(?:unchanged.*\n)+restart {4}systemctl restart/,
    'until it was restarted',
  );
  t.match(
    uninstallText(uninstall(request.host)),
    /^restored {2}\/etc\/default\/kubelet\n[^]*restart {3}systemctl restart kubelet/,
  );
  t.equal(uninstallText(uninstall(request.host)), 'nothing is installed\n');
  t.end();
});

await t.test('on EKS the kubelet is not restarted, on the way there and back', (t) => {
  const request = prepare(t, 'EKS');
  const result = install(request);
  t.match(result, { kind: 'written', layout: 'EKS', replaced: ['ecr-credential-provider'] });
  t.notMatch(result, { restart: String });
  const text = installText(result, false);
  t.match(
    text,
    /replaces {2}ecr-credential-provider, with the entries that the kubelet has for it\nrestart {3}not needed\n$/,
  );
  t.notMatch(uninstall(request.host), { restart: String });
  t.end();
});

await t.test('a kubelet that does not read the file with the flags', (t) => {
  const request = prepare(t, 'kubeadm on Debian');
  install(request);
  const later = { proc: { uptime: '5.00 9.00', '90': { stat: `90 (kubelet) S ${'0 '.repeat(18)}100 0` } } };
  const hourAgo = Date.now() / 1_000 - 3_600;
  for (const file of ['/etc/default/kubelet', '/etc/kubernetes/credential-providers/polycloud.yaml']) {
    utimesSync(request.host.locate(file), hourAgo, hourAgo);
  }
  writeTree(request.host.locate('/'), later);
  t.throws(() => install(request), {
    message: 'the kubelet runs without the two flags that /etc/default/kubelet gives it',
    remedy: /^see how kubelet.service starts it/,
  });
  t.end();
});

await t.test('what others wrote between two installations stays when it is uninstalled', (t) => {
  const request = prepare(t, 'kubeadm on Debian');
  const { host } = request;
  const [flags, config] = ['/etc/default/kubelet', '/etc/kubernetes/credential-providers/polycloud.yaml'];
  install(request);
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(host.locate(path), change(readFileSync(host.locate(path), 'utf8')));
  edit(flags, (text) => text.replace('="', '="--max-pods=50 '));
  const before = readFileSync(host.locate(flags), 'utf8');
  t.throws(() => uninstall(host), {
    message: `${flags} was changed by others and still names ${config}`,
  });
  t.equal(readFileSync(host.locate(flags), 'utf8'), before, 'nothing is changed');
  t.ok(existsSync(host.locate(`${folder}/polycloud-credential-provider`)));

  const other = `  - name: other
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: [registry.example.com]
    defaultCacheDuration: 1m
`;
  edit(config, (text) => text + other);
  install(request);
  t.match(uninstall(host), { left: [] });
  t.equal(readFileSync(host.locate(flags), 'utf8'), 'KUBELET_EXTRA_ARGS="--max-pods=50"\n');
  t.match(readFileSync(host.locate(config), 'utf8'), /providers:\n {2}- name: other\n/);
  t.notOk(existsSync(host.locate(`${folder}/polycloud-credential-provider`)));
  t.end();
});

await t.test('an entry of others that names our program keeps it on the host', (t) => {
  const request = prepare(t, 'k3s');
  const config = '/var/lib/rancher/credentialprovider/config.yaml';
  install(request);
  const file = request.host.locate(config);
  writeFileSync(file, `# theirs\n${readFileSync(file, 'utf8')}`);
  t.throws(() => uninstall(request.host), { message: /was changed by others and still names .*credential-provider$/ });
  writeFileSync(file, 'apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders: []\n');
  t.strictSame(uninstall(request.host).left, [config], 'without it, the file is left and the rest goes');
  t.end();
});

await t.test('on EKS an entry of ours that goes needs a restart', (t) => {
  const request = prepare(t, 'EKS');
  const file = request.host.locate('/etc/eks/image-credential-provider/config.json');
  const vendors = {
    name: 'ecr-credential-provider',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    matchImages: ['*.dkr.ecr.*.amazonaws.com'],
    defaultCacheDuration: '12h',
  };
  const head = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig' };
  writeFileSync(file, JSON.stringify({ ...head, providers: [vendors] }));
  t.match(install({ ...request, wanted: { entries, areNamed: true } }), { restart: 'kubelet.service' });
  t.match(uninstall(request.host), { restart: 'kubelet.service' });
  t.end();
});

await t.test('flags that would come out as something else are refused', (t) => {
  for (const text of [
    'KUBELET_EXTRA_ARGS=\'--node-labels="a=b"\'\n',
    'KUBELET_EXTRA_ARGS="--v=2 \\\n  --max-pods=50"\n',
  ]) {
    const request = prepare(t, 'kubeadm on Debian', { etc: { default: { kubelet: text } } });
    t.throws(() => install(request), {
      message: /^KUBELET_EXTRA_ARGS in \/etc\/default\/kubelet has quotes within quotes/,
    });
    t.notOk(existsSync(request.host.locate('/var/lib/polycloud')), 'nothing is written');
  }
  t.end();
});

await t.test('a dry run writes nothing', (t) => {
  const request = prepare(t, 'k3s');
  const text = installText(install({ ...request, isDryRun: true }), true);
  t.match(text, /would write {2}\/var\/lib\/rancher\/credentialprovider\/bin\/polycloud-credential-provider-full\n/);
  t.notOk(existsSync(request.host.locate('/var/lib/rancher/credentialprovider')));
  t.notOk(existsSync(request.host.locate('/var/lib/polycloud')));
  t.end();
});

await t.test('what cannot work is refused before anything is written', async (t) => {
  const refusals: ReadonlyArray<{
    readonly why: string;
    readonly host: string;
    readonly more?: HostTree;
    readonly mounts?: (root: string) => string;
    readonly message: RegExp;
  }> = [
    { why: 'Bottlerocket', host: 'Bottlerocket', message: /^Bottlerocket runs only/ },
    { why: 'an unknown host', host: 'nothing', message: /no kubelet of a known distribution/ },
    {
      why: 'musl',
      host: 'k3s',
      more: { lib64: { 'libc.so.6': 'GLIBC_2.27\0' } },
      message: /its glibc is older than 2\.28/,
    },
    {
      why: 'a read-only folder',
      host: 'GKE',
      mounts: (root) => `1 0 8:1 / ${root}/home ro - ext4 /dev/x ro`,
      message: /file system of \/home\/kubernetes\/bin on the host is read-only/,
    },
    {
      why: 'a folder where programs cannot run',
      host: 'AKS',
      mounts: (root) => `1 0 8:1 / ${root}/var rw,noexec - ext4 /dev/x rw`,
      message: /file system of \/var\/lib\/kubelet\/credential-provider on the host does not let programs run/,
    },
    {
      why: 'a file with which the kubelet would not start',
      host: 'k3s',
      more: {
        var: { lib: { rancher: { credentialprovider: { 'config.yaml': broken } } } },
      },
      message: /^the kubelet would not start: \/var\/lib\/rancher\/credentialprovider\/config\.yaml:\d+: .*matchImages/,
    },
  ];
  for (const { why, host, more, mounts, message } of refusals) {
    await t.test(why, (t) => {
      const request = prepare(t, host, more);
      const mountInfo = mounts?.(request.host.locate('/').replace(/\/$/, '')) ?? '';
      t.throws(() => install({ ...request, mountInfo }), { message });
      t.notOk(existsSync(request.host.locate('/var/lib/polycloud')), 'no record of an installation');
      t.end();
    });
  }
});

await t.test('Talos and OpenShift get a text for their own configuration', (t) => {
  const talos = install(prepare(t, 'Talos'));
  t.match(talos, { kind: 'printed', text: /machine:\n {2}kubelet:\n {4}credentialProviderConfig:/ });
  const openShift = install(prepare(t, 'OpenShift'));
  t.match(openShift, { kind: 'printed', text: /kind: MachineConfig\n/ });
  t.end();
});

function prepare(t: Test, name: string, more: HostTree = {}): InstallRequest {
  const directory = t.testdir({ host: {}, sources: { program: 'the program', 'front-end': 'the front end' } });
  const root = join(directory, 'host');
  mkdirSync(root, { recursive: true });
  for (const tree of [libraries, hostTrees[name] ?? {}, more]) writeTree(root, tree);
  const sources = { program: join(directory, 'sources/program'), frontEnd: join(directory, 'sources/front-end') };
  return { host: openHostRoot(root), mountInfo: '', sources, wanted: { entries, areNamed: false }, isDryRun: false };
}
