import t from 'tap';
import { readControllerFlags } from '../../ccm/options.ts';

const given = { '--cloud-provider': 'aws' };

await t.test('the defaults', async (t) => {
  t.match(readControllerFlags(given), {
    cloudNames: ['aws'],
    controllers: { node: true, lifecycle: true },
    nodeMonitorPeriodMs: 5_000,
    nodeStatusUpdateFrequencyMs: 300_000,
    writesAtOnce: 20,
    writesPerSecond: 0,
    agentHeadStartMs: 0,
    dryRun: false,
  });
});

await t.test('several clouds, each once, by either name of Google', async (t) => {
  t.strictSame(readControllerFlags({ '--cloud-provider': 'aws, gce,static,gcp' }).cloudNames, ['aws', 'gcp', 'static']);
});

const controllers: ReadonlyArray<readonly [text: string, node: boolean, lifecycle: boolean, route: boolean]> = [
  ['*', true, true, true],
  ['*,-cloud-node', false, true, true],
  ['*,-cloud-node-lifecycle-controller', true, false, true],
  ['cloud-node', true, false, false],
  ['*,-service,-route', true, true, false],
  ['*,-node-route-controller', true, true, false],
  ['node-route-controller', false, false, true],
  ['*,-cloud-node,-node-ipam', false, true, true],
  ['*,-nodeipam', true, true, true],
];
for (const [text, node, lifecycle, route] of controllers) {
  await t.test(`--controllers=${text}`, async (t) => {
    t.strictSame(readControllerFlags({ ...given, '--controllers': text }).controllers, { node, lifecycle, route });
  });
}

const withRoutes = { ...given, '--configure-cloud-routes': 'true' };

await t.test('routes are off by default, whatever else a manifest names', async (t) => {
  const others = { '--cluster-cidr': 'none', '--route-reconciliation-period': '0s' };
  for (const off of [{}, { '--configure-cloud-routes': 'false' }]) {
    t.equal(readControllerFlags({ ...given, ...others, ...off }).routes, undefined);
  }
});

await t.test('routes have one range of pod CIDRs, or one of each family', async (t) => {
  const one = readControllerFlags({ ...withRoutes, '--cluster-cidr': '10.244.0.0/16' }).routes;
  t.match(one, { clusterCidrs: [{ text: '10.244.0.0/16' }], routeReconciliationPeriodMs: 10_000 });
  const period = { '--route-reconciliation-period': '1m' };
  const both = readControllerFlags({ ...withRoutes, ...period, '--cluster-cidr': 'fd00::/48, 10.244.0.0/16' }).routes;
  t.match(both, { clusterCidrs: [{ text: 'fd00::/48' }, { family: 'IPv4' }], routeReconciliationPeriodMs: 60_000 });
});

const mistakes: ReadonlyArray<readonly [flags: Readonly<Record<string, string>>, says: RegExp]> = [
  [{}, /^--cloud-provider names no cloud$/],
  [{ '--cloud-provider': 'aws,awss' }, /^--cloud-provider names "awss", which is not a known cloud$/],
  [{ ...given, '--controllers': 'service' }, /--controllers names one that we do not have/],
  [{ ...given, '--node-monitor-period': '5' }, /--node-monitor-period is not a duration/],
  [{ ...given, '--node-monitor-period': '1ms' }, /--node-monitor-period is shorter than 100ms/],
  [withRoutes, /--configure-cloud-routes needs --cluster-cidr$/],
  ...['10.244.0.0', '10.0.0.0/8,11.0.0.0/8', '10.0.0.0/8,fd00::/8,x'].map(
    (cidrs) => [{ ...withRoutes, '--cluster-cidr': cidrs }, /needs another --cluster-cidr$/] as const,
  ),
  [
    { ...withRoutes, '--cluster-cidr': '10.0.0.0/8', '--route-reconciliation-period': '10ms' },
    /--route-reconciliation-period is shorter than 1s/,
  ],
  [{ ...given, '--concurrent-node-syncs': '0' }, /--concurrent-node-syncs is not in its range/],
];
for (const [flags, says] of mistakes) {
  await t.test(`a mistake: ${JSON.stringify(flags)}`, async (t) => {
    t.throws(() => readControllerFlags(flags), { kind: 'misconfigured', message: says });
  });
}
