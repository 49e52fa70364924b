import t from 'tap';
import { electionOptions, readElection } from '../../../ccm/leader-election/settings.ts';
import { parseCommandLine } from '../../../lib/command-line/command-line.ts';
import { Failure } from '../../../lib/failure.ts';

await t.test("upstream's defaults", (t) => {
  t.strictSame(read([]), {
    enabled: true,
    namespace: 'kube-system',
    name: 'cloud-controller-manager',
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  });
  t.end();
});

await t.test("upstream's flags", (t) => {
  const times = ['lease-duration=30s', 'renew-deadline=20s', 'retry-period=500ms'];
  const place = ['resource-name=mine', 'resource-namespace=here', 'resource-lock=leases'];
  const flags = [...times, ...place].map((text) => `--leader-elect-${text}`);
  t.strictSame(read(['--leader-elect=true', ...flags]), {
    enabled: true,
    namespace: 'here',
    name: 'mine',
    leaseDurationMs: 30_000,
    renewDeadlineMs: 20_000,
    retryPeriodMs: 500,
  });
  t.equal(read(['--leader-elect=false']).enabled, false);
  t.end();
});

const mistakes: readonly (readonly [flag: string, message: RegExp])[] = [
  ['--leader-elect-lease-duration=10s', /renew-deadline is not shorter/],
  ['--leader-elect-lease-duration=15500ms', /not in whole seconds/],
  ['--leader-elect-lease-duration=0', /not in whole seconds/],
  ['--leader-elect-renew-deadline=2400ms', /no time for a second try/],
  ['--leader-elect-retry-period=0s', /retry-period is 0/],
  ['--leader-elect-retry-period=often', /not a duration/],
  ['--leader-elect-resource-lock=configmaps', /kind of lock/],
];

for (const [flag, message] of mistakes) {
  await t.test(`${flag} is refused`, (t) => {
    t.throws(() => read([flag]), { message });
    t.throws(() => read([flag]), Failure);
    t.end();
  });
}

await t.test('times do not matter where there is no election', (t) => {
  t.equal(read(['--leader-elect=false', '--leader-elect-lease-duration=1s']).enabled, false);
  t.end();
});

function read(args: readonly string[]): ReturnType<typeof readElection> {
  const line = parseCommandLine({ name: 'example', summary: '', options: electionOptions }, args);
  if (line.kind !== 'run') throw new Error(line.kind);
  return readElection(line.options);
}
