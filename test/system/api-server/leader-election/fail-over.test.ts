import t from 'tap';
import type { Test } from 'tap';
import type { Lease } from '../../../../schemas/kubernetes.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { leaderSwitches, sharedNowMs, startCandidate } from './candidate-process.ts';
import type { CandidateProcess } from './candidate-process.ts';

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager';
const defaultTimes = ['15s', '10s', '2s'];
const quickTimes = ['2s', '1200ms', '300ms'];
const found = await findPrograms();

await t.test('on a real API server', requires(found), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const kubeconfig = await kubeconfigOfController(plane);

  await t.test('a clean exit hands over within 2 s, with the usual times', async (t) => {
    const [first, second] = await startPair(t, kubeconfig, defaultTimes);
    const lease = await readLease(plane);
    t.match(lease.spec, { holderIdentity: 'first', leaseDurationSeconds: 15 });
    t.match(lease.spec.renewTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const atMs = sharedNowMs();
    first.signal('SIGTERM');
    const word = await second.lineFrom(atMs, 'writes');
    t.comment(`fail-over after a clean exit: ${(word.atMs - atMs).toFixed(0)} ms`);
    t.ok(word.atMs - atMs < 2_000);
    t.equal(await first.exited, 0);
    t.equal(leaderSwitches(first.lines, second.lines), 1);
    t.equal((await readLease(plane)).spec.leaseTransitions, (lease.spec.leaseTransitions ?? 0) + 1);
  });

  await t.test('after a kill within the lease and 2 s, with the usual times', async (t) => {
    await plane.ask('DELETE', leasePath);
    const [first, second] = await startPair(t, kubeconfig, defaultTimes);
    const atMs = sharedNowMs();
    first.signal('SIGKILL');
    const word = await second.lineFrom(atMs, 'writes');
    t.comment(`fail-over after a kill: ${(word.atMs - atMs).toFixed(0)} ms of at most 17000`);
    t.ok(word.atMs - atMs < 17_000);
    t.equal(leaderSwitches(first.lines, second.lines), 1);
  });

  await t.test('a leader that was stopped until another leads does not write when it wakes', async (t) => {
    await plane.ask('DELETE', leasePath);
    const [first, second] = await startPair(t, kubeconfig, quickTimes);
    for (let round = 0; round < 3; round += 1) {
      const [leader, follower] = round % 2 === 0 ? [first, second] : [second, first];
      leader.signal('SIGSTOP');
      await follower.lineFrom(sharedNowMs(), 'writes');
      const wakesAtMs = sharedNowMs();
      leader.signal('SIGCONT');
      await follower.lineFrom(wakesAtMs + 2_500, 'writes');
      t.notOk(leader.lines.some(({ atMs, what }) => atMs > wakesAtMs && what === 'writes'));
    }
    t.equal(leaderSwitches(first.lines, second.lines), 3);
    t.ok(
      [...first.lines, ...second.lines].some(({ what }) => what === 'may not write'),
      'somebody wanted to write when it woke, before it knew that it leads no more',
    );
  });

  await t.test(
    'an API server that is away for less than the deadline ends nothing, for longer everything',
    async (t) => {
      await plane.ask('DELETE', leasePath);
      const times = ['8s', '6s', '500ms'];
      const [first, second] = await startPair(t, kubeconfig, times);
      await plane.killApiServer();
      await plane.startApiServer();
      await first.lineFrom(sharedNowMs() + 3_000, 'writes');
      t.equal(leaderSwitches(first.lines, second.lines), 0);
      await plane.killApiServer();
      const goneAtMs = sharedNowMs();
      await expectNoWrites(first, goneAtMs, 6_000);
      await plane.startApiServer();
      const backAtMs = sharedNowMs();
      const winner = await Promise.race([first.lineFrom(backAtMs, 'writes'), second.lineFrom(backAtMs, 'writes')]);
      t.comment(`somebody leads ${(winner.atMs - backAtMs).toFixed(0)} ms after the API server is back`);
      t.ok(leaderSwitches(first.lines, second.lines) <= 1);
    },
  );
});

/** The first leads, the second waits. */
async function startPair(
  t: Test,
  kubeconfig: string,
  times: readonly string[],
): Promise<readonly [CandidateProcess, CandidateProcess]> {
  const first = startCandidate(t, ['first', kubeconfig, ...times]);
  await first.lineFrom(0, 'writes');
  const second = startCandidate(t, ['second', kubeconfig, ...times]);
  const { atMs } = await second.lineFrom(0, 'stands');
  await first.lineFrom(atMs + 1_000, 'writes');
  return [first, second];
}

/** Waits until the replica that loses its lease must have stopped, and fails if it writes later. */
async function expectNoWrites(candidate: CandidateProcess, fromMs: number, deadlineMs: number): Promise<void> {
  const wait = { what: 'the deadline', withinMs: deadlineMs + 5_000, everyMs: 50 };
  await waitUntil(wait, () => Promise.resolve(sharedNowMs() > fromMs + deadlineMs + 500 ? true : undefined));
  const late = candidate.lines.find(({ atMs, what }) => what === 'writes' && atMs > fromMs + deadlineMs);
  if (late !== undefined) throw new Error(`it wrote ${late.atMs - fromMs} ms after the API server had gone`);
}

async function readLease(plane: ControlPlane): Promise<Lease> {
  return (await plane.ask('GET', leasePath)).body as Lease;
}

/** A user with exactly the permissions that the documents list. */
async function kubeconfigOfController(plane: ControlPlane): Promise<string> {
  const rules = 'leases.coordination.k8s.io';
  await plane.kubectl([
    '-n',
    'kube-system',
    'create',
    'role',
    'elect',
    '--verb=get,create,patch',
    `--resource=${rules}`,
  ]);
  await plane.kubectl(['-n', 'kube-system', 'create', 'rolebinding', 'elect', '--role=elect', '--user=controller']);
  return plane.kubeconfigFor('controller', []);
}
