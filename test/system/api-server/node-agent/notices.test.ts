import t from 'tap';
import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { RecordedRequest } from '../../../lab/clouds/request-log.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import { environmentSupport } from './environment.ts';
import { interruptionCondition, isUnmarked, marksOf } from './marks.ts';
import { change, isInitialized, register, untilNode, untilReasons } from './nodes.ts';
import { noticeClouds } from './notice-clouds.ts';
import type { NoticeCloud, NoticeMachine } from './notice-clouds.ts';
import { createPod, createPodNamespace, endPods, podsOn, protectPod } from './pods.ts';
import type { EndedPod } from './pods.ts';

const timeout = 240_000;
const personsTaint = { key: 'example.com/maintenance', value: 'later', effect: 'NoSchedule' };
t.setTimeout(timeout);

await t.test('notices of each cloud', { ...requires(await environmentSupport()), timeout }, async (t) => {
  const plane = await sharedControlPlaneFor(t);
  await createPodNamespace({ plane });
  t.jobs = noticeClouds.length;
  const tests = noticeClouds.map((given) =>
    t.test(given.cloud, { buffered: true, timeout }, async (t) => {
      const running = await given.start(t, plane);
      await runCycle(t, { ...given, ...running });
    }),
  );
  await Promise.all(tests);
});

interface Given extends NoticeCloud, NoticeMachine {}

async function runCycle(t: Test, given: Given): Promise<void> {
  const { machine, cloud: name, announce, early, ending, further } = given;
  await register(machine, { name });
  await fill(given);
  await announce('early');
  const agent = startAgent(machine, { nodeName: name, flags: ['--cloud', name] });
  const ended = endPods(machine, name);
  await untilNode(machine, name, 'is initialised', isInitialized);

  const first = await untilReported(given, early.marks, early.message);
  t.match(interruptionCondition(first), { status: 'True', reason: early.reason });
  await change(machine, name, { spec: { taints: [...(first.spec.taints ?? []), personsTaint] } });

  await announce('early and ending');
  await untilReported(given, ending.marks, ending.message);
  await waitUntil({ what: 'all that have to go are gone', withinMs: 60_000, everyMs: 100 }, async () =>
    (await podsOn(machine, name)).length === 2 ? true : undefined,
  );
  t.strictSame(await namesOn(given), ['daemon', 'excluded']);
  checkGraces(t, ended);
  await untilLogged(agent, /Drain finished/);
  if (name === 'azure') await checkAcknowledged(t, given, ended);

  await announce('early');
  const undone = await untilReported(given, early.marks, early.message);
  t.ok(hasPersonsTaint(undone), 'a taint of a person stays');

  await change(machine, name, { spec: { unschedulable: true } });
  await createPod(machine, { name: podName(name, 'late'), nodeName: name, graceSeconds: 5 });
  await announce('early and further');
  await untilReported(given, further.marks, further.message);
  await waitUntil({ what: 'the late pod is gone', withinMs: 60_000, everyMs: 100 }, () =>
    Promise.resolve(ended.has(podName(name, 'late')) || undefined),
  );
  await untilLogged(agent, /Drain finished[^]*Drain finished/);
  if (name === 'azure') await checkNotAcknowledged(t, given);

  await announce('nothing');
  const last = await untilNode(machine, name, 'is as before', isUnmarked);
  t.equal(marksOf(last), 'cordon', 'the cordon of a person stays');
  t.ok(hasPersonsTaint(last));
  t.match(interruptionCondition(last), { status: 'False', reason: 'NoNotice' });
  const reasons = ['InterruptionAnnounced', 'DrainStarted', 'DrainBlocked', 'DrainFinished', 'InterruptionWithdrawn'];
  await untilReasons(machine, name, reasons);
  await agent.stop();
  t.notOk(showsSecret(agent.output()));
}

function hasPersonsTaint({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key, value }) => key === personsTaint.key && value === personsTaint.value);
}

/** Names of pods are the same on no two machines: they share a namespace. */
function podName(node: string, name: string): string {
  return `${node}-${name}`;
}

async function fill({ machine, cloud: nodeName }: Given): Promise<void> {
  const on = (name: string): { readonly name: string; readonly nodeName: string } => ({
    name: podName(nodeName, name),
    nodeName,
  });
  for (const name of ['web-1', 'web-2', 'web-3']) await createPod(machine, { ...on(name), graceSeconds: 5 });
  await createPod(machine, { ...on('daemon'), owner: 'DaemonSet' });
  await createPod(machine, { ...on('excluded'), annotations: { [keys.drainPod]: 'false' } });
  await createPod(machine, { ...on('protected'), graceSeconds: 30 });
  await protectPod(machine, podName(nodeName, 'protected'));
}

async function namesOn({ machine, cloud }: Given): Promise<readonly string[]> {
  const names = (await podsOn(machine, cloud)).map(({ metadata }) => metadata.name.slice(cloud.length + 1));
  return names.toSorted();
}

/** 10 s before the end all pods have ended. */
function checkGraces(t: Test, ended: ReadonlyMap<string, EndedPod>): void {
  for (const [name, { graceSeconds }] of ended) {
    if (!name.endsWith('-protected')) t.equal(graceSeconds, 5, `${name} had its own grace`);
    else t.ok(graceSeconds >= 2 && graceSeconds <= 20, `${name} had ${String(graceSeconds)} s`);
  }
}

async function untilReported({ machine, cloud }: Given, marks: string, message: RegExp): Promise<Node> {
  return untilNode(machine, cloud, `is marked ${marks} with ${String(message)}`, (node) => {
    const condition = interruptionCondition(node);
    return marksOf(node) === marks && condition?.status === 'True' && message.test(condition.message ?? '');
  });
}

/** When the last pod has gone, and for the one event that names this machine alone. Then the event has no time any more. */
async function checkAcknowledged(t: Test, given: Given, ended: ReadonlyMap<string, EndedPod>): Promise<void> {
  const first = await waitUntil(
    { what: 'it is acknowledged', withinMs: 30_000, everyMs: 100 },
    async () => (await acknowledgements(given))[0],
  );
  t.equal(first.body, JSON.stringify({ StartRequests: [{ EventId: 'preempt' }] }));
  t.equal(first.status, 200);
  for (const [name, { endedAtMs }] of ended) t.ok(first.receivedAtMs >= endedAtMs, `after the end of ${name}`);
  await untilPolled(given, 3);
  t.equal((await acknowledgements(given)).length, 1, 'once');
  await untilReported(given, given.ending.marks, /Preempt by Platform[^(]*:.*Freeze by Platform/);
}

/** Other machines would restart as well. */
async function checkNotAcknowledged(t: Test, given: Given): Promise<void> {
  await untilPolled(given, 3);
  t.equal((await acknowledgements(given)).length, 1);
}

async function acknowledgements({ lab }: Given): Promise<readonly RecordedRequest[]> {
  return (await lab.requests()).filter(({ method }) => method === 'POST');
}

async function untilPolled({ lab }: Given, times: number): Promise<void> {
  const count = async (): Promise<number> =>
    (await lab.requests()).filter(({ path, method }) => method === 'GET' && path.includes('scheduledevents')).length;
  const before = await count();
  await waitUntil({ what: 'polls', withinMs: 30_000, everyMs: 100 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}
