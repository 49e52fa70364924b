import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { chartDirectory, only, release, render, runHelm } from '../../lab/helm/chart.ts';
import type { Manifest } from '../../lab/helm/chart.ts';

/** The value `clouds`, and what the programs are started with. */
const lists: ReadonlyArray<readonly [given: readonly string[], names: string]> = [
  [['aws'], 'aws'],
  [['azure'], 'azure'],
  [['gcp'], 'gcp'],
  [['gce'], 'gcp'],
  [['static', 'gce', 'azure', 'aws'], 'static,gcp,azure,aws'],
  [['gcp', 'aws', 'gce'], 'gcp,aws'],
];

await t.test('the clouds of the chart', requires(await findHelm()), async (t) => {
  for (const [given, names] of lists) {
    await t.test(`[${given.join(', ')}]`, async (t) => {
      const manifests = await render({ clouds: given });
      t.ok(argumentsOf(manifests, 'Deployment', 'polycloud-ccm').includes(`--cloud-provider=${names}`));
      t.ok(argumentsOf(manifests, 'DaemonSet', 'polycloud-node-agent').includes(`--detect-clouds=${names}`));
    });
  }

  await t.test('agents detect none that they cannot describe', async (t) => {
    const manifests = await render({ clouds: ['vsphere', 'gce', 'aws'] });
    t.ok(argumentsOf(manifests, 'Deployment', 'polycloud-ccm').includes('--cloud-provider=vsphere,gcp,aws'));
    t.ok(argumentsOf(manifests, 'DaemonSet', 'polycloud-node-agent').includes('--detect-clouds=gcp,aws'));
  });

  await t.test('agents for registry logins can run on each', async (t) => {
    const agent = { nodeSync: { enabled: false }, broker: { enabled: true } };
    const given = argumentsOf(await render({ clouds: ['vsphere'], agent }), 'DaemonSet', 'polycloud-node-agent');
    t.ok(given.includes('--node-sync=false') && !given.some((arg) => arg.includes('cloud')));
  });

  await t.test('one cloud for all agents, by each of its names', async (t) => {
    const described = clouds.filter(({ capabilities }) => capabilities.includes('metadata'));
    for (const cloud of described.flatMap(({ name, aliases }) => [name, ...aliases])) {
      const manifests = await render({ clouds: [cloud], agent: { cloud } });
      t.ok(argumentsOf(manifests, 'DaemonSet', 'polycloud-node-agent').includes(`--cloud=${cloud}`));
    }
  });

  await t.test('the same name twice is refused', async (t) => {
    const { code, stderr } = await runHelm(['template', release.name, chartDirectory], { clouds: ['azure', 'azure'] });
    t.equal(code, 1);
    t.match(stderr, "at '/clouds': items at 0 and 1 are equal");
  });

  await t.test('agents may set the labels of every cloud', async (t) => {
    const manifests = await render({ clouds: ['azure'] });
    const { spec } = only(manifests, 'ValidatingAdmissionPolicy', 'polycloud-node-agent');
    const { validations } = spec as { readonly validations: readonly { readonly expression: string }[] };
    const rule = validations.find(({ expression }) => expression.includes('labelsChanged'))?.expression ?? '';
    for (const { labelPrefixes } of clouds) for (const prefix of labelPrefixes) t.ok(rule.includes(`'${prefix}'`));
  });
});

function argumentsOf(manifests: readonly Manifest[], kind: string, name: string): readonly string[] {
  const { spec } = only(manifests, kind, name) as unknown as { readonly spec: Workload };
  return spec.template.spec.containers.flatMap(({ args }) => args);
}

interface Workload {
  readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
}
