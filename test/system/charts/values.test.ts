import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { projectDirectory } from '../../../build/project.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { needing } from '../../lab/needing.ts';
import { chartDirectory, only, release, render, runHelm } from './chart.ts';
import type { Manifest, Values } from './chart.ts';

const helm = await findHelm();
const template = ['template', release.name, chartDirectory];

/** Values that nobody can have meant, and a piece of what is said about them. */
const nonsense: readonly (readonly [Values, string])[] = [
  [{ ccm: { replica: 3 } }, "at '/ccm': additional properties 'replica' not allowed"],
  [{ ccm: { replicas: 0 } }, "at '/ccm/replicas': minimum: got 0, want 1"],
  [{ ccm: { replicas: 'two' } }, "at '/ccm/replicas': got string, want integer"],
  [{ ccm: { port: 70_000 } }, "at '/ccm/port': maximum: got 70,000, want 65,535"],
  [{ ccm: { extraArgs: ['dry-run'] } }, "at '/ccm/extraArgs/0': 'dry-run' does not match"],
  [{ ccm: { hostNetwork: 'maybe' } }, "at '/ccm/hostNetwork': got string, want boolean"],
  [{ agent: { headStart: '30' } }, "at '/agent/headStart': '30' does not match"],
  [{ agent: { drain: true } }, "at '/agent': additional properties 'drain' not allowed"],
  [{ agent: { image: { digest: 'sha256:1' } } }, "at '/agent/image/digest': 'sha256:1' does not match"],
  [{ agent: { extraLabels: ['rack'] } }, "at '/agent/extraLabels/0': 'rack' does not match"],
  [
    { agent: { extraLabels: ['node-role.kubernetes.io/'] } },
    'agent.extraLabels: node-role.kubernetes.io/ is of Kubernetes',
  ],
  [
    { agent: { extraLabels: ['polycloud.dev/cloud'] } },
    'agent.extraLabels: polycloud.dev/cloud is of Kubernetes or ours',
  ],
  [{ clouds: [] }, "at '/clouds': minItems: got 0, want 1"],
  [{ clouds: 'aws' }, "at '/clouds': got string, want array"],
  [
    { image: { registry: 'https://registry.example' } },
    "at '/image/registry': 'https://registry.example' does not match",
  ],
  [{ config: 'registries: []' }, "at '/config': got string, want object"],
  [{ configFiles: { 'config.yaml': '' } }, 'configFiles: config.yaml is made of `config`'],
  [{ kubernetesApi: { port: 6443 } }, 'kubernetesApi.port is given without kubernetesApi.host'],
  [{ credentialProvider: { tokenAudiences: ['*'] } }, "at '/credentialProvider/tokenAudiences/0': '*' does not match"],
  [{ credentialProvider: { audiences: [] } }, "at '/credentialProvider': additional properties 'audiences'"],
];

await t.test('values', needing(helm), async (t) => {
  await t.test('of the chart please the linter', async (t) => {
    const { code, stdout } = await runHelm(['lint', '--strict', chartDirectory], {});
    t.equal(code, 0);
    t.match(stdout, '1 chart(s) linted, 0 chart(s) failed');
    t.notMatch(stdout, /WARNING|ERROR/);
  });
  await t.test('that make no sense are refused in words', async (t) => {
    for (const [values, words] of nonsense) {
      const { code, stderr } = await runHelm(template, values);
      t.not(code, 0, words);
      t.ok(stderr.includes(words), `${words} — said: ${stderr}`);
    }
  });
  await t.test('decide what the containers are called with', async (t) => {
    const byDefault = await render({});
    t.ok(argumentsOf(byDefault, 'Deployment', 'polycloud-ccm').includes('--agent-head-start=30s'));
    t.ok(argumentsOf(byDefault, 'DaemonSet', 'polycloud-node-agent').includes('--broker-socket=none'));
    const alone = await render({ clouds: ['aws', 'static'], agent: { enabled: false } });
    t.same(
      argumentsOf(alone, 'Deployment', 'polycloud-ccm').filter((arg) => /head-start|provider/.test(arg)),
      ['--cloud-provider=aws,static'],
    );
    t.notOk(alone.some(({ metadata }) => metadata.name.includes('node-agent')));
    const brokered = await render({ agent: { broker: { enabled: true }, cloud: 'aws' } });
    const given = argumentsOf(brokered, 'DaemonSet', 'polycloud-node-agent');
    t.ok(given.includes('--cloud=aws'));
    t.notOk(
      given.some((arg) => /broker|config/.test(arg)),
      'the node’s own configuration and the usual socket',
    );
  });
  await t.test('decide who is root and sees the host', async (t) => {
    const podOf = async (values: Values): Promise<Pod> =>
      podIn(only(await render(values), 'DaemonSet', 'polycloud-node-agent'));
    const usual = await podOf({});
    t.match(usual.securityContext, { runAsNonRoot: true, runAsUser: 65_532 });
    t.notOk(usual.volumes.some((volume) => 'hostPath' in volume));
    const brokered = await podOf({ agent: { broker: { enabled: true } } });
    t.match(brokered.securityContext, { runAsUser: 0 });
    const paths = brokered.volumes.flatMap(({ hostPath }) => (hostPath === undefined ? [] : [hostPath.path]));
    t.same(paths, ['/etc/polycloud', '/run/polycloud']);
    for (const { containers } of [usual, brokered]) {
      t.match(containers[0]?.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
  await t.test('reach nodes that are not initialised yet', async (t) => {
    const manifests = await render({});
    const [controller, agent] = [
      podIn(only(manifests, 'Deployment', 'polycloud-ccm')),
      podIn(only(manifests, 'DaemonSet', 'polycloud-node-agent')),
    ];
    const key = 'node.cloudprovider.kubernetes.io/uninitialized';
    t.ok(controller.tolerations.some((toleration) => toleration.key === key));
    t.match(controller, { hostNetwork: true, dnsPolicy: 'Default', priorityClassName: 'system-cluster-critical' });
    t.same(agent.tolerations, [{ operator: 'Exists' }]);
    t.match(agent, { hostNetwork: true, dnsPolicy: 'Default', priorityClassName: 'system-node-critical' });
  });
});

await t.test('the chart is of the version of the programs', async (t) => {
  const { version } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  t.match(parse(await readFile(join(chartDirectory, 'Chart.yaml'), 'utf8')), { version, appVersion: version });
});

interface Pod {
  readonly securityContext: object;
  readonly containers: readonly { readonly args: readonly string[]; readonly securityContext: object }[];
  readonly volumes: readonly { readonly hostPath?: { readonly path: string } }[];
  readonly tolerations: readonly { readonly key?: string }[];
}

function podIn({ spec }: Manifest): Pod {
  return (spec as { readonly template: { readonly spec: Pod } }).template.spec;
}

function argumentsOf(manifests: readonly Manifest[], kind: string, name: string): readonly string[] {
  return podIn(only(manifests, kind, name)).containers.flatMap(({ args }) => args);
}
