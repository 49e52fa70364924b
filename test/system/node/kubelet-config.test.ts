import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { lintConfig } from '../../../lib/kubelet-config/lint.ts';
import { corpus } from '../../lib/kubelet-config/corpus.ts';
import { pluginNames, writeCase, writePlugins } from '../../lib/kubelet-config/write-case.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { requires } from '../../lab/requires.ts';
import { containerdSocket } from '../../lab/node/containerd.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import type { LabNode } from '../../lab/node/lab-node.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { provider } from '../programs/provider.ts';
import { hints } from '../../support/kubelet-hints.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const refusal = 'Failed to register CRI auth plugins';

/** Without a cluster: it still registers its credential providers before it reports that it is healthy. */
const aloneSettings = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: `unix://${containerdSocket}`,
  authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  enableServer: true,
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
};

await t.test('the real kubelet, and what we say of its files', requires(await nodeSupport()), async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-kubelet-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const node = await nodeFor(t, 'aws', { parts: [] });
  const options = { env: {}, input: '', timeoutMs: 60_000 };

  await t.test('doctor finds the entry by which this kubelet calls the credential provider', async (t) => {
    const { stdout, code } = await node.run(provider, ['doctor', image], options);
    t.equal(code, 0, stdout);
    t.match(stdout, /ok +kubelet .* calls polycloud-credential-provider by .*plugin-config\n/);
    t.match(stdout, /the kubelet gets a login for it\n$/);
  });

  await t.test('config lint of the files that it runs with', async (t) => {
    const config = join(node.logDirectory, '../plugin-config');
    const { stdout, code } = await node.run(provider, ['config', 'lint', config], options);
    t.strictSame([code, stdout], [0, 'a kubelet starts with this\n']);
  });

  await node.stopPart('kubelet');
  const binDirectory = writePlugins(join(directory, 'bin'), pluginNames);
  const settings = join(directory, 'kubelet.yaml');
  await writeFile(settings, stringify(aloneSettings));
  const { programs } = await findPrograms();
  const kubelet: Kubelet = { file: programs.kubelet, settings, binDirectory, root: join(directory, 'root') };

  for (const [index, each] of corpus.entries()) {
    await t.test(`${each.starts ? 'good' : 'bad'}: ${each.name}`, async (t) => {
      const config = writeCase(join(directory, String(index)), each);
      const starts = await startsWith(node, kubelet, config);
      const errors = lintConfig(config, { binDirectory }).filter(({ severity }) => severity === 'error');
      t.equal(starts, each.starts, 'the kubelet');
      t.equal(errors.length === 0, starts, JSON.stringify(errors));
    });
  }

  await t.test('what config print prints', async (t) => {
    const own = join(directory, 'own.yaml');
    const file = join(directory, 'printed.yaml');
    const pool = 'projects/1/locations/global/workloadIdentityPools/p/providers/x';
    await writeFile(
      own,
      stringify({ gcp: { workloadIdentityProvider: pool }, registries: [{ match: 'a.example:5000/x', as: 'gcr.io' }] }),
    );
    const { stdout } = await node.run(provider, ['config', 'print', '--pods', '--config', own], options);
    await writeFile(file, stdout);
    const names = ['', '-aws-pod', '-azure-pod', '-gcp-pod'].map((end) => `polycloud-credential-provider${end}`);
    writePlugins(binDirectory, names);
    t.strictSame(lintConfig(file, { binDirectory, hints }), []);
    t.ok(await startsWith(node, kubelet, file));
    for (const name of names) t.ok(stdout.includes(`name: ${name}\n`), name);
  });

  await t.test('what config print --rbac prints lets kubelets ask for these tokens, and for no others', async (t) => {
    const { stdout } = await node.run(provider, ['config', 'print', '--rbac'], options);
    await node.plane.kubectl(['apply', '-f', '-'], stdout);
    for (const audience of ['sts.amazonaws.com', 'api://AzureADTokenExchange', 'vault']) {
      t.equal(await canRequestToken(node, audience), audience !== 'vault', audience);
    }
  });
});

interface Kubelet {
  readonly file: string;
  readonly settings: string;
  readonly binDirectory: string;
  readonly root: string;
}

async function canRequestToken({ plane, name }: LabNode<'aws'>, audience: string): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:node:${name}`,
      groups: ['system:nodes'],
      resourceAttributes: { verb: 'request-serviceaccounts-token-audience', resource: audience, namespace: 'default' },
    },
  };
  const { body } = await plane.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
  return (body as { readonly status: { readonly allowed: boolean } }).status.allowed;
}

async function startsWith(node: LabNode<'aws'>, kubelet: Kubelet, config: string): Promise<boolean> {
  const { file, settings, binDirectory, root } = kubelet;
  // A log of its own, by the name.
  const name = `kubelet-with-${basename(dirname(config))}-${basename(config)}`;
  const args = [
    `--config=${settings}`,
    `--root-dir=${root}`,
    `--cert-dir=${root}`,
    `--image-credential-provider-config=${config}`,
    `--image-credential-provider-bin-dir=${binDirectory}`,
  ];
  try {
    await node.startProgram(name, { file, args }, () => isHealthy(node));
  } catch (error) {
    if ((await node.log(name)).includes(refusal)) return false;
    throw error;
  }
  await node.killProgram(name);
  return true;
}

async function isHealthy(node: LabNode<'aws'>): Promise<boolean> {
  try {
    return (await node.get('http://127.0.0.1:10248/healthz')).status === 200;
  } catch {
    return false;
  }
}
