import t from 'tap';
import { parseCommandLine } from '../../../lib/command-line/command-line.ts';
import { program as credentialProvider } from '../../../credential-provider/program.ts';
import { program as nodeAgent } from '../../../node-agent/program.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { chartDirectory, only, release, render, runHelm } from '../../lab/helm/chart.ts';
import type { Values } from '../../lab/helm/chart.ts';

const noRights = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

await t.test('the init containers that install on the host', requires(await findHelm()), async (t) => {
  await t.test('are not there by default', async (t) => {
    const { initContainers, volumes } = await podWith({});
    t.equal(initContainers, undefined);
    t.notOk(volumes.some(({ hostPath }) => hostPath?.path === '/'));
  });

  await t.test('are a copier without rights, and an installer that sees the host', async (t) => {
    const [copier, installer, ...more] = (await podWith({ mode: 'install' })).initContainers ?? [];
    t.same(more, []);
    t.match(copier?.image, /\/polycloud-credential-provider:/);
    t.match(installer?.image, /\/polycloud-node-agent:/);
    t.match(copier?.securityContext, { ...noRights, runAsNonRoot: true, runAsUser: 65_532 });
    t.match(installer?.securityContext, {
      ...noRights,
      runAsUser: 0,
      seLinuxOptions: { type: 'spc_t' },
      appArmorProfile: { type: 'Unconfined' },
    });
    t.same(mountsOf(copier), { provider: '/provider' });
    t.same(mountsOf(installer), { host: '/host', provider: '/provider' });
    for (const container of [copier, installer]) {
      // The pod's limit is the highest of its containers. Files in memory count in it after an init container has ended.
      t.match(container?.resources, { requests: { memory: '64Mi' }, limits: { memory: '512Mi' } });
      t.equal(container?.terminationMessagePolicy, 'FallbackToLogsOnError', 'describe shows why it failed');
    }
  });

  await t.test('restart the kubelet, with the token of the agent', async (t) => {
    for (const mode of ['install', 'uninstall']) {
      const pod = await podWith({ mode, restartKubelet: true }, { kubernetesApi: { host: '10.0.0.1', port: 6443 } });
      const installer = containersByName(pod.initContainers)[1];
      t.equal(installer?.args.at(-1), '--restart-kubelet');
      t.match(parseCommandLine(nodeAgent, installer?.args ?? []), { kind: 'run' });
      t.match(mountsOf(installer), { 'api-access': '/var/run/secrets/kubernetes.io/serviceaccount' });
      t.match(installer, {
        env: [
          { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'KUBERNETES_SERVICE_HOST', value: '10.0.0.1' },
          { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
        ],
      });
    }
  });

  await t.test('call commands that there are', async (t) => {
    const install = {
      registries: ['aws', 'gce'],
      pods: true,
      hostBroker: true,
      extraArgs: ['--config=/etc/polycloud/other.yaml'],
    };
    for (const [values, expected] of [
      [{ mode: 'install' }, ['install', '--host-root=/host', '--source=/provider']],
      [
        { mode: 'install', ...install },
        [
          'install',
          '--host-root=/host',
          '--source=/provider',
          '--registries=aws,gce',
          '--pods',
          '--host-broker',
          '--config=/etc/polycloud/other.yaml',
        ],
      ],
      [{ mode: 'uninstall', ...install }, ['uninstall', '--host-root=/host']],
    ] as const) {
      const [copier, installer] = containersByName((await podWith(values)).initContainers);
      t.same(installer?.args, expected);
      t.match(parseCommandLine(nodeAgent, installer?.args ?? []), { kind: 'run' });
      if (copier === undefined) t.equal(values.mode, 'uninstall');
      else t.match(parseCommandLine(credentialProvider, copier.args), { kind: 'run' });
    }
  });

  await t.test('write nothing in a dry run', async (t) => {
    const { initContainers = [] } = await podWith({ mode: 'install' }, { dryRun: true });
    t.ok(initContainers[1]?.args.includes('--dry-run'));
  });

  await t.test('are refused where nothing would do it', async (t) => {
    for (const [values, reason] of [
      [{ agent: { enabled: false, install: { mode: 'install' } } }, /agent\.enabled is false.*; hint: /],
      [{ dryRun: true, agent: { install: { mode: 'uninstall' } } }, /has no dry run; hint: /],
      [{ agent: { install: { mode: 'yes' } } }, /at '\/agent\/install\/mode': value must be one of/],
      [
        { agent: { install: { registries: ['oracle'] } } },
        /at '\/agent\/install\/registries\/0': value must be one of/,
      ],
    ] as const) {
      const { code, stderr } = await runHelm(['template', release.name, chartDirectory], values);
      t.not(code, 0);
      t.match(stderr, reason);
    }
  });
});

interface InitContainer {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly terminationMessagePolicy: string;
  readonly securityContext: object;
  readonly resources: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface InstallingPod {
  readonly initContainers?: readonly InitContainer[];
  readonly volumes: readonly { readonly hostPath?: { readonly path: string } }[];
}

async function podWith(install: Values, values: Values = {}): Promise<InstallingPod> {
  const manifests = await render({ ...values, agent: { install } });
  const { spec } = only(manifests, 'DaemonSet', 'polycloud-node-agent');
  return (spec as { readonly template: { readonly spec: InstallingPod } }).template.spec;
}

function containersByName(
  containers: readonly InitContainer[] = [],
): readonly [InitContainer | undefined, InitContainer | undefined] {
  const copier = containers.find(({ name }) => name === 'copy-credential-provider');
  return [copier, containers.find((each) => each !== copier)];
}

function mountsOf(container: InitContainer | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((container?.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
}
