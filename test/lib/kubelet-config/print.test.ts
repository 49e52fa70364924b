import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { clouds } from '../../../clouds/index.ts';
import { entriesFor } from '../../../lib/kubelet-config/entries.ts';
import type { ProviderEntries, EntryOptions } from '../../../lib/kubelet-config/entries.ts';
import { lintConfig } from '../../../lib/kubelet-config/lint.ts';
import { printConfig, printRbac } from '../../../lib/kubelet-config/print.ts';
import { matchesImage } from '../../../credential-provider/doctor/globs.ts';
import { realHost } from '../../../lib/host.ts';
import { defaultConfig } from '../../../schemas/config/defaults.ts';
import { hints } from '../../support/kubelet-hints.ts';

const pool = 'projects/1/locations/global/workloadIdentityPools/p/providers/x';
const withPool = { ...defaultConfig, gcp: { ...defaultConfig.gcp, workloadIdentityProvider: pool } };

function entries(options: Partial<EntryOptions>): Promise<ProviderEntries> {
  const runtime = { env: {}, host: realHost };
  return entriesFor({
    clouds,
    runtime,
    config: defaultConfig,
    configFile: undefined,
    withPods: false,
    annotations: [],
    ...options,
  });
}

await t.test('config lint accepts the file, for all options', async (t) => {
  const all = [{}, { withPods: true }, { withPods: true, config: withPool }, { configFile: '/etc/x.yaml' }];
  for (const wishes of all) {
    const file = join(t.testdir({ 'k.yaml': printConfig((await entries(wishes)).entries) }), 'k.yaml');
    t.strictSame(lintConfig(file, { hints }), []);
  }
});

await t.test('lists every kind of host that is served', async (t) => {
  const [node] = (await entries({})).entries;
  const hosts = [
    '123456789012.dkr.ecr.us-west-2.amazonaws.com',
    '123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com',
    '123456789012.dkr-ecr.us-west-2.on.aws',
    '123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn',
    '123456789012.dkr.ecr.eusc-de-east-1.amazonaws.eu',
    'public.ecr.aws',
    'acme.azurecr.io',
    'acme-a1b2c3d4e5f6a7b8.azurecr.io',
    'acme.westeurope.geo.azurecr.io',
    'acme.azurecr.cn',
    'gcr.io',
    'eu.gcr.io',
    'gke.gcr.io',
    'us-east1-artifactregistry.gcr.io',
    'us-west1-docker.pkg.dev',
    'docker.us-west1.rep.pkg.dev',
  ];
  const isListed = (host: string): boolean =>
    node?.matchImages.some((pattern) => matchesImage(pattern, `${host}/app`)) === true;
  for (const host of hosts) t.ok(isListed(host), host);
  t.notOk(isListed('registry.example'));
});

await t.test('hosts of the configuration, and the file itself', async (t) => {
  const config = { ...defaultConfig, registries: [{ match: 'mirror.example:5000/team', as: 'gcr.io' }] };
  const [node] = (await entries({ config, configFile: '/etc/x.yaml' })).entries;
  t.equal(node?.matchImages.at(-1), 'mirror.example:5000/team');
  t.strictSame(node?.args, ['--config', '/etc/x.yaml']);
});

await t.test('entries for pods come first, one name per cloud; without an audience there is none', async (t) => {
  const { entries: found, withoutAudience } = await entries({ withPods: true });
  const names = found.map(({ name }) => name.replace('polycloud-credential-provider', ''));
  t.strictSame(names, ['-aws-pod', '-azure-pod', '']);
  t.match(withoutAudience, [{ cloud: 'gcp', remedy: /workloadIdentityProvider/ }]);
  const complete = await entries({ withPods: true, config: withPool });
  t.strictSame([complete.entries.length, complete.withoutAudience], [4, []]);
});

await t.test('kubelets may request every audience, and without audiences there are no rules', async (t) => {
  const rbac = printRbac((await entries({ withPods: true, config: withPool })).entries) ?? '';
  for (const audience of ['sts.amazonaws.com', 'api://AzureADTokenExchange', `https://iam.googleapis.com/${pool}`]) {
    t.ok(rbac.includes(`- ${audience}\n`), audience);
  }
  t.equal(printRbac((await entries({})).entries), undefined);
});

await t.test('--annotations: an entry for each annotation, and all that clouds read are sent', async (t) => {
  const annotations = [
    'eks.amazonaws.com/ecr-role-arn',
    'eks.amazonaws.com/role-arn',
    'azure.workload.identity/client-id',
  ];
  const { entries: found } = await entries({ withPods: true, annotations });
  t.strictSame(
    found.map(({ name, tokenAttributes }) => [
      name.replace('polycloud-credential-provider', ''),
      tokenAttributes?.requiredServiceAccountAnnotationKeys,
    ]),
    [
      ['-aws-pod', ['eks.amazonaws.com/ecr-role-arn']],
      ['-aws-pod-2', ['eks.amazonaws.com/role-arn']],
      ['-azure-pod', ['azure.workload.identity/client-id']],
      ['', undefined],
    ],
  );
  const [first, , azure] = found;
  t.strictSame(first?.tokenAttributes?.optionalServiceAccountAnnotationKeys, ['eks.amazonaws.com/role-arn']);
  t.ok(azure?.tokenAttributes?.optionalServiceAccountAnnotationKeys.includes('kubernetes.azure.com/acr-client-id'));
  const file = join(t.testdir({ 'k.yaml': printConfig(found) }), 'k.yaml');
  t.strictSame(lintConfig(file, { hints }), []);
  t.match(printConfig(found), /^# polycloud-credential-provider-aws-pod-2 is called only for .*role-arn\.$/m);
});

await t.test('an annotation that no cloud reads, and clouds without a host, are errors', async (t) => {
  await t.rejects(entries({ withPods: true, annotations: ['example.com/role'] }), {
    kind: 'misconfigured',
    message: '--annotations names "example.com/role", which no selected cloud reads',
    remedy: /eks\.amazonaws\.com\/role-arn/,
  });
  await t.rejects(entries({ clouds: clouds.filter(({ name }) => name === 'static') }), {
    kind: 'misconfigured',
    message: /no registry host for static/,
  });
});

await t.test('as JSON it is the same file, and the rules are one list', async (t) => {
  const { entries: found } = await entries({ withPods: true });
  const [file, yaml] = [printConfig(found, 'json'), printConfig(found)];
  t.strictSame(JSON.parse(file), parse(yaml));
  t.match(JSON.parse(printRbac(found, 'json') ?? ''), { kind: 'List', items: [{ kind: 'ClusterRole' }, {}] });
});
