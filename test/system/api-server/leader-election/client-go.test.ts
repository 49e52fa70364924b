import t from 'tap';
import { kubernetesLeaseStore } from '../../../../ccm/leader-election/kubernetes-lease-store.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startTestCandidate, workUntilAborted } from '../../../ccm/leader-election/harness.ts';

const part = 'kube-controller-manager';
const leaseRef = { namespace: 'kube-system', name: part };
const times = { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 };
const flags = ['lease-duration=4s', 'renew-deadline=3s', 'retry-period=500ms'].map((text) => `--leader-elect-${text}`);
const renewalsToSee = 12;
const found = await findPrograms();

await t.test('one lease with a candidate of client-go', requires(found), async (t) => {
  const extraArguments = { [part]: ['--leader-elect=true', ...flags] };
  const plane = await controlPlaneFor(t, { parts: [part], extraArguments });
  const access = kubeconfigAccess(plane.adminKubeconfig, { env: process.env, clock: systemClock });
  const parts = { access, userAgent: 'polycloud-test', limits: defaultLimits, clock: systemClock, random: Math.random };
  const client = createClient(parts);
  t.teardown(() => client.close());
  const store = kubernetesLeaseStore(client, leaseRef, () => ({}));
  const renewals = new Set<string>();
  const readHolder = async (): Promise<string> => {
    const spec = (await store.read(new AbortController().signal))?.spec;
    renewals.add(spec?.renewTime ?? '');
    return spec?.holderIdentity ?? '';
  };
  const soon = { withinMs: 30_000, everyMs: 50 };
  const wanted = { ...soon, what: 'the other leads' };
  const other = await waitUntil(wanted, async () => ((await readHolder()) === '' ? undefined : readHolder()));

  const actor = startTestCandidate({
    identity: 'ours',
    store,
    clock: systemClock,
    times,
    random: Math.random,
    work: workUntilAborted,
  });
  t.teardown(() => actor.stop());
  const patience = { ...soon, what: `${renewalsToSee} renewals` };
  await waitUntil(patience, async () => {
    const holder = await readHolder();
    if (holder !== other || actor.terms() > 0) throw new Error('the other was not left alone');
    return renewals.size > renewalsToSee ? true : undefined;
  });

  plane.pause(part);
  const pausedAtMs = performance.now();
  await waitUntil({ ...soon, what: 'ours leads' }, () => Promise.resolve(actor.mayWrite() ? true : undefined));
  const tookMs = performance.now() - pausedAtMs;
  t.comment(`taken over ${tookMs.toFixed(0)} ms after the other had fallen silent`);
  t.ok(tookMs < 4_500);
  t.equal(await readHolder(), 'ours');
  plane.resume(part);
  t.ok(actor.mayWrite());
});
