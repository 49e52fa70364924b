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

const controllers: ReadonlyArray<readonly [text: string, node: boolean, lifecycle: boolean]> = [
  ['*', true, true],
  ['*,-cloud-node', false, true],
  ['*,-cloud-node-lifecycle-controller', true, false],
  ['cloud-node', true, false],
  ['*,-service,-route', true, true],
  ['*,-cloud-node,-node-ipam', false, true],
  ['*,-nodeipam', true, true],
];
for (const [text, node, lifecycle] of controllers) {
  await t.test(`--controllers=${text}`, async (t) => {
    t.strictSame(readControllerFlags({ ...given, '--controllers': text }).controllers, { node, lifecycle });
  });
}

const mistakes: ReadonlyArray<readonly [flags: Readonly<Record<string, string>>, says: RegExp]> = [
  [{}, /^--cloud-provider names no cloud$/],
  [{ '--cloud-provider': 'aws,awss' }, /^--cloud-provider names "awss", which is not a known cloud$/],
  [{ ...given, '--controllers': 'service' }, /--controllers names one that we do not have/],
  [{ ...given, '--node-monitor-period': '5' }, /--node-monitor-period is not a duration/],
  [{ ...given, '--node-monitor-period': '1ms' }, /--node-monitor-period is shorter than 100ms/],
  [{ ...given, '--concurrent-node-syncs': '0' }, /--concurrent-node-syncs is not in its range/],
];
for (const [flags, says] of mistakes) {
  await t.test(`a mistake: ${JSON.stringify(flags)}`, async (t) => {
    t.throws(() => readControllerFlags(flags), { kind: 'misconfigured', message: says });
  });
}
