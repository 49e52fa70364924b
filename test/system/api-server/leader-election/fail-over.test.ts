import t from 'tap';
import type { Test } from 'tap';
import type { Lease } from '../../../../schemas/kubernetes.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { needing } from '../../../lab/needing.ts';
import { crossings, sharedNowMs, startCandidate } from './candidate-process.ts';
import type { CandidateProcess } from './candidate-process.ts';

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager';
const usual = ['15s', '10s', '2s'];
const quick = ['2s', '1200ms', '300ms'];
const found = await findPrograms();

await t.test('on a real API server', needing(found), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const kubeconfig = await kubeconfigOfController(plane);

  await t.test('a clean exit hands over within 2 s, with the usual times', async (t) => {
    const [first, second] = await pair(t, kubeconfig, usual);
    const lease = await readLease(plane);
    t.match(lease.spec, { holderIdentity: 'first', leaseDurationSeconds: 15 });
    t.match(lease.spec.renewTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const atMs = sharedNowMs();
    first.signal('SIGTERM');
    const word = await second.wordFrom(atMs, 'writes');
    t.comment(`fail-over after a clean exit: ${(word.atMs - atMs).toFixed(0)} ms`);
    t.ok(word.atMs - atMs < 2_000);
    t.equal(await first.exited, 0);
    t.equal(crossings(first.words, second.words), 1);
    t.equal((await readLease(plane)).spec.leaseTransitions, (lease.spec.leaseTransitions ?? 0) + 1);
  });

  await t.test('after a kill within the lease and 2 s, with the usual times', async (t) => {
    await plane.ask('DELETE', leasePath);
    const [first, second] = await pair(t, kubeconfig, usual);
    const atMs = sharedNowMs();
    first.signal('SIGKILL');
    const word = await second.wordFrom(atMs, 'writes');
    t.comment(`fail-over after a kill: ${(word.atMs - atMs).toFixed(0)} ms of at most 17000`);
    t.ok(word.atMs - atMs < 17_000);
    t.equal(crossings(first.words, second.words), 1);
  });

  await t.test('a leader that was stopped until another leads does not write when it wakes', async (t) => {
    await plane.ask('DELETE', leasePath);
    const [first, second] = await pair(t, kubeconfig, quick);
    for (let round = 0; round < 3; round += 1) {
      const [leader, follower] = round % 2 === 0 ? [first, second] : [second, first];
      leader.signal('SIGSTOP');
      await follower.wordFrom(sharedNowMs(), 'writes');
      const wakesAtMs = sharedNowMs();
      leader.signal('SIGCONT');
      await follower.wordFrom(wakesAtMs + 2_500, 'writes');
      t.notOk(leader.words.some(({ atMs, what }) => atMs > wakesAtMs && what === 'writes'));
    }
    t.equal(crossings(first.words, second.words), 3);
    t.ok(
      [...first.words, ...second.words].some(({ what }) => what === 'may not write'),
      'somebody wanted to write when it woke, before it knew that it leads no more',
    );
  });

  await t.test(
    'an API server that is away for less than the deadline ends nothing, for longer everything',
    async (t) => {
      await plane.ask('DELETE', leasePath);
      const times = ['8s', '6s', '500ms'];
      const [first, second] = await pair(t, kubeconfig, times);
      await plane.killApiServer();
      await plane.startApiServer();
      await first.wordFrom(sharedNowMs() + 3_000, 'writes');
      t.equal(crossings(first.words, second.words), 0);
      await plane.killApiServer();
      const goneAtMs = sharedNowMs();
      await silence(first, goneAtMs, 6_000);
      await plane.startApiServer();
      const backAtMs = sharedNowMs();
      const winner = await Promise.race([first.wordFrom(backAtMs, 'writes'), second.wordFrom(backAtMs, 'writes')]);
      t.comment(`somebody leads ${(winner.atMs - backAtMs).toFixed(0)} ms after the API server is back`);
      t.ok(crossings(first.words, second.words) <= 1);
    },
  );
});

/** The first leads, the second waits. */
async function pair(
  t: Test,
  kubeconfig: string,
  times: readonly string[],
): Promise<readonly [CandidateProcess, CandidateProcess]> {
  const first = startCandidate(t, ['first', kubeconfig, ...times]);
  await first.wordFrom(0, 'writes');
  const second = startCandidate(t, ['second', kubeconfig, ...times]);
  const { atMs } = await second.wordFrom(0, 'stands');
  await first.wordFrom(atMs + 1_000, 'writes');
  return [first, second];
}

/** Waits until whoever loses its lease must have stopped, and fails if it writes later. */
async function silence(candidate: CandidateProcess, fromMs: number, deadlineMs: number): Promise<void> {
  const patience = { what: 'the deadline', withinMs: deadlineMs + 5_000, everyMs: 50 };
  await waitUntil(patience, () => Promise.resolve(sharedNowMs() > fromMs + deadlineMs + 500 ? true : undefined));
  const late = candidate.words.find(({ atMs, what }) => what === 'writes' && atMs > fromMs + deadlineMs);
  if (late !== undefined) throw new Error(`it wrote ${late.atMs - fromMs} ms after the API server had gone`);
}

async function readLease(plane: ControlPlane): Promise<Lease> {
  return (await plane.ask('GET', leasePath)).body as Lease;
}

/** Somebody who may do what the documents say that it takes, and nothing else. */
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
