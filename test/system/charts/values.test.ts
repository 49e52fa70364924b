import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse, stringify } from 'yaml';
import { projectDirectory } from '../../../build/project.ts';
import type { Capability } from '../../../clouds/cloud.ts';
import { clouds } from '../../../clouds/index.ts';
import { Config } from '../../../schemas/config.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { chartDirectory, only, release, render, runHelm } from '../../lab/helm/chart.ts';
import type { Manifest, Values } from '../../lab/helm/chart.ts';

const helm = await findHelm();
const template = ['template', release.name, chartDirectory];

const [ofController, ofAgent] = [namesWith('instances'), namesWith('metadata')];
const onlyDescribedByController = 'agents cannot describe machines of vsphere, which has no metadata service';

/** Invalid values and their messages. The schema lists all errors of one rendering at once. */
const nonsense: readonly (readonly [Values, readonly string[]])[] = [
  [
    {
      clouds: ['oracle', 'static'],
      image: { registry: 'https://registry.example' },
      config: 'registries: []',
      dryRun: 'maybe',
      ccm: { replica: 3, replicas: 0, port: 70_000, extraArgs: ['dry-run'], hostNetwork: 'maybe' },
      agent: {
        cloud: 'oracle',
        headStart: '30',
        drain: true,
        image: { digest: 'sha256:1' },
        extraLabels: ['rack'],
        serviceMonitor: { readers: [] },
      },
      credentialProvider: { tokenAudiences: ['*'], audiences: [] },
    },
    [
      `at '/clouds/0': value must be one of ${quoted(ofController)}`,
      "at '/image/registry': 'https://registry.example' does not match",
      "at '/config': got string, want object",
      "at '/dryRun': got string, want boolean",
      "at '/ccm': additional properties 'replica' not allowed",
      "at '/ccm/replicas': minimum: got 0, want 1",
      "at '/ccm/port': maximum: got 70,000, want 65,535",
      "at '/ccm/extraArgs/0': 'dry-run' does not match",
      "at '/ccm/hostNetwork': got string, want boolean",
      `at '/agent/cloud': value must be one of ${quoted(['', ...ofAgent])}`,
      "at '/agent/headStart': '30' does not match",
      "at '/agent': additional properties 'drain' not allowed",
      "at '/agent/image/digest': 'sha256:1' does not match",
      "at '/agent/extraLabels/0': 'rack' does not match",
      "at '/agent/serviceMonitor': additional properties 'readers' not allowed",
      "at '/credentialProvider/tokenAudiences/0': '*' does not match",
      "at '/credentialProvider': additional properties 'audiences'",
    ],
  ],
  [
    { clouds: [], ccm: { replicas: 'two', dryRun: true } },
    [
      "at '/clouds': minItems: got 0, want 1",
      "at '/ccm/replicas': got string, want integer",
      "at '/ccm': additional properties 'dryRun' not allowed",
    ],
  ],
  [{ clouds: 'aws' }, ["at '/clouds': got string, want array"]],
  [{ config: { aws: { scops: [] } } }, ["at '/config/aws': additional properties 'scops' not allowed"]],
  [
    {
      config: {
        asw: {},
        aws: { scopes: [{ name: 'prod', region: 'us', accountId: 123_456_789_012 }, { name: 'test' }] },
        deletion: { canaryNodes: 'many' },
        interruption: { actions: { aws: { ends: 'drian' } } },
        registries: [
          { match: 'https://registry.example', federation: { from: 'aws' } },
          { match: 'registry.example', federation: { from: 'oracle' } },
          { match: 'registry.example', federation: { audience: 'a' } },
        ],
      },
    },
    [
      "at '/config': additional properties 'asw' not allowed",
      "at '/config/aws/scopes/0/region': 'us' does not match pattern",
      "at '/config/aws/scopes/0/accountId': got number, want string",
      "at '/config/aws/scopes/1': missing property 'region'",
      "at '/config/deletion/canaryNodes': got string, want integer",
      "at '/config/interruption/actions/aws/ends': value must be one of 'ignore', 'report', 'taint', 'drain'",
      "at '/config/registries/0/match': 'https://registry.example' does not match pattern",
      "at '/config/registries/0/federation': missing property 'audience'",
      "at '/config/registries/1/federation/from': value must be one of 'aws', 'azure', 'gcp', 'file'",
      "at '/config/registries/2/federation': missing property 'from'",
    ],
  ],
  [{ clouds: ['oracle'] }, [`at '/clouds/0': value must be one of ${quoted(ofController)}`]],
  [{ ccm: { enabled: false }, clouds: ['oracle'] }, [`at '/clouds/0': value must be one of ${quoted(ofAgent)}`]],
  [{ ccm: { enabled: false }, clouds: ['vsphere'] }, [`at '/clouds/0': value must be one of ${quoted(ofAgent)}`]],
  [{ agent: { cloud: 'vsphere' } }, [`at '/agent/cloud': value must be one of ${quoted(['', ...ofAgent])}`]],
  [{ clouds: ['vsphere'] }, [onlyDescribedByController]],
  [
    { agent: { extraLabels: ['node-role.kubernetes.io/'] } },
    ['agent.extraLabels: node-role.kubernetes.io/ is a label of Kubernetes'],
  ],
  [
    { agent: { extraLabels: ['polycloud.dev/cloud'] } },
    ['agent.extraLabels: polycloud.dev/cloud is a label of Kubernetes or polycloud'],
  ],
  [
    { agent: { nodeSync: { enabled: false } } },
    ['agent.nodeSync.enabled and agent.broker.enabled are both false, which leaves agents nothing to do'],
  ],
  [
    { agent: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } } },
    ['agent.serviceMonitor.enabled and agent.podMonitor.enabled are both true, so each agent would be scraped twice'],
  ],
  [{ agent: { status: { readers: [{ name: 'x' }] } } }, ["at '/agent/status/readers/0': missing property 'namespace'"]],
  [{ configFiles: { 'config.yaml': '' } }, ['configFiles: the chart creates config.yaml from `config`']],
  [{ kubernetesApi: { port: 6443 } }, ['kubernetesApi.port is set without kubernetesApi.host']],
];

await t.test('values', requires(helm), async (t) => {
  await t.test('of the chart please the linter', async (t) => {
    const { code, stdout } = await runHelm(['lint', '--strict', chartDirectory], {});
    t.equal(code, 0);
    t.match(stdout, '1 chart(s) linted, 0 chart(s) failed');
    t.notMatch(stdout, /WARNING|ERROR/);
  });
  await t.test('are listed in the README of the chart, with keys of the configuration in the schema', async (t) => {
    const { stdout } = await runHelm(['show', 'readme', chartDirectory]);
    t.match(stdout, /^- `ccm.replicas` \(default `2`\): One replica leads/m);
    const { properties } = await readSchema();
    t.same(Object.keys(properties.config.properties), Object.keys(Config.shape));
  });
  await t.test('that make no sense are refused in words', async (t) => {
    for (const [values, words] of nonsense) {
      const { code, stderr } = await runHelm(template, values);
      t.not(code, 0, JSON.stringify(values));
      for (const each of words) t.ok(stderr.includes(each), `${each} — said: ${stderr}`);
    }
  });
  await t.test('decide what the containers are called with', async (t) => {
    const byDefault = await render({});
    t.ok(argumentsOf(byDefault, 'Deployment', 'polycloud-ccm').includes('--agent-head-start=30s'));
    const byDefaultGiven = argumentsOf(byDefault, 'DaemonSet', 'polycloud-node-agent');
    t.ok(byDefaultGiven.includes('--broker-socket=none') && byDefaultGiven.includes('--detect-clouds=aws'));
    t.notOk(stringify(byDefault).includes('--dry-run'));
    const alone = await render({ clouds: ['aws', 'static'], agent: { enabled: false } });
    t.same(
      argumentsOf(alone, 'Deployment', 'polycloud-ccm').filter((arg) => /head-start|provider/.test(arg)),
      ['--cloud-provider=aws,static'],
    );
    t.notOk(alone.some(({ metadata }) => metadata.name.includes('node-agent')));
    const brokered = await render({ dryRun: true, agent: { broker: { enabled: true }, cloud: 'aws' } });
    const given = argumentsOf(brokered, 'DaemonSet', 'polycloud-node-agent');
    t.ok(given.includes('--cloud=aws'));
    t.notOk(
      given.some((arg) => /broker|config|detect/.test(arg)),
      'the node’s own configuration and the usual socket',
    );
    for (const args of [given, argumentsOf(brokered, 'Deployment', 'polycloud-ccm')]) t.ok(args.includes('--dry-run'));
  });
  await t.test('let agents do no more about an interruption than the mode needs', async (t) => {
    const textOf = async (values: Values): Promise<string> =>
      stringify((await render(values)).filter(({ metadata }) => metadata.name.startsWith('polycloud-node-agent')));
    const byMode = async (mode: string): Promise<string> => textOf({ agent: { interruption: { mode } } });
    t.match(await textOf({}), /pods\/eviction[^]*polycloud.dev\/interruption[^]*unschedulable/);
    t.match(await textOf({}), /--interruption-mode=drain/);
    for (const mode of ['taint', 'report', 'ignore']) {
      const text = await byMode(mode);
      t.match(text, new RegExp(`--interruption-mode=${mode}`));
      t.notMatch(text, /eviction|polycloud-node-agent-pods/, mode);
      t.match(text, /may only remove its own cordon/, mode);
    }
    for (const mode of ['report', 'ignore']) {
      t.match(await byMode(mode), /may remove the taint polycloud.dev\/interruption, not add it/, mode);
    }
    t.notMatch(await textOf({ clouds: ['static'] }), /eviction|polycloud.dev\/[iI]nterruption/, 'nor without notices');
  });
  await t.test('let agents only serve logins, with no right to a Node', async (t) => {
    const nodeSync = { enabled: false };
    const manifests = await render({ agent: { nodeSync, broker: { enabled: true }, cloud: 'aws' } });
    const given = argumentsOf(manifests, 'DaemonSet', 'polycloud-node-agent');
    t.ok(given.includes('--node-sync=false'));
    t.notOk(given.some((arg) => /cloud|broker/.test(arg)));
    const rules = stringify(only(manifests, 'ClusterRole', 'polycloud-node-agent'));
    t.notMatch(rules, /nodes|patch/);
    t.match(rules, /tokenreviews[^]*subjectaccessreviews[^]*jwks/);
    t.same(
      manifests
        .filter(({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && metadata.name.includes('agent'))
        .map(({ metadata }) => metadata.name),
      ['polycloud-node-agent-events'],
    );
    const args = argumentsOf(manifests, 'Deployment', 'polycloud-ccm');
    t.notOk(
      args.some((arg) => arg.includes('head-start')),
      'there is nobody to wait for',
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
    t.notMatch(stringify(controller), /ports:/, 'a second one gets onto the only node');
    t.same(agent.tolerations, [{ operator: 'Exists' }]);
    t.match(agent, { hostNetwork: true, dnsPolicy: 'Default', priorityClassName: 'system-node-critical' });
  });
});

await t.test('the chart is of the version of the programs', async (t) => {
  const { version } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as { version: string };
  t.match(parse(await readFile(join(chartDirectory, 'Chart.yaml'), 'utf8')), { version, appVersion: version });
});

function namesWith(capability: Capability): readonly string[] {
  const supporting = clouds.filter(({ capabilities }) => capabilities.includes(capability));
  return supporting.flatMap(({ name, aliases }) => [name, ...aliases]);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

interface ValuesSchema {
  readonly properties: { readonly config: { readonly properties: object } };
}

async function readSchema(): Promise<ValuesSchema> {
  return JSON.parse(await readFile(join(chartDirectory, 'values.schema.json'), 'utf8')) as ValuesSchema;
}

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
