import t from 'tap';
import { keys } from '../../../schemas/keys.ts';
import { errorOf } from './drain/fake-pods.ts';
import { drainPod } from './drain/pods.ts';
import { createMachine, markText, reasonsOf } from './harness.ts';
import { minuteMs, notice, nowMs, secondMs } from './notices.ts';
import { interruptionSettings } from '../../../node-agent/interruption/settings.ts';

const spot = notice({ id: 'spot/1', atMs: nowMs + 120 * secondMs });
const advice = notice({ id: 'rebalance/1', source: 'rebalance', effect: 'may-end', vendorText: 'rebalance' });
const event = notice({ id: 'event-1', source: 'scheduled-events', effect: 'restarts', vendorText: 'system-reboot' });
const pods = (count: number): ReturnType<typeof drainPod>[] =>
  Array.from({ length: count }, (_, at) => drainPod(`p${String(at)}`));

await t.test('without notices nothing is written', async (t) => {
  const machine = createMachine(pods(3));
  const agent = machine.startAgent();
  agent.announce([]);
  await machine.clock.advance(60 * minuteMs);
  t.strictSame([machine.patches, machine.conditions, machine.events, machine.pods.accepted], [[], [], [], []]);
  await agent.stop();
});

await t.test('a spot notice: marked, reported, drained', async (t) => {
  const machine = createMachine([...pods(3), drainPod('ds', { owner: 'DaemonSet' })]);
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(10);
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  t.strictSame(machine.pods.accepted, ['0 evict p0 30', '0 evict p1 30', '0 evict p2 30']);
  t.match(machine.conditions, [{ status: 'True', reason: 'InstanceEnds', message: /12:02:00.*spot terminate/ }]);
  t.strictSame(reasonsOf(machine), ['InterruptionAnnounced', 'DrainStarted']);
  t.match(agent.metrics(), /_notices\{effect="ends"\} 1\n/);
  t.match(agent.metrics(), /_drain_remaining_pods 3\n/);
  await machine.clock.advance(31_000);
  t.strictSame(reasonsOf(machine).slice(2), ['DrainFinished']);
  t.match(agent.metrics(), /_drains_total\{result="finished"\} 1\n/);
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon', 'the marks stay until the machine goes');
  t.equal(machine.patches.length, 2, 'the second one records the end of the drain');
  t.equal(machine.conditions.length, 1);
  await machine.clock.advance(10 * minuteMs);
  t.equal(machine.pods.requests.count, 3);
  await agent.stop();
});

await t.test('a withdrawn notice: the drain stops, and exactly our marks go', async (t) => {
  const machine = createMachine(pods(30));
  machine.pods.latencyMs = 500;
  const agent = machine.startAgent();
  agent.announce([{ ...event, atMs: nowMs + 5 * minuteMs }]);
  await machine.clock.advance(600);
  t.equal(machine.pods.accepted.length, 25);
  agent.announce([]);
  await machine.clock.advance(60_000);
  t.equal(machine.pods.accepted.length, 25, 'the others stay');
  t.equal(markText(machine.api.node), '');
  t.strictSame(
    machine.conditions.map(({ status }) => status),
    ['True', 'False'],
  );
  t.strictSame(reasonsOf(machine), ['InterruptionAnnounced', 'DrainStarted', 'DrainStopped', 'InterruptionWithdrawn']);
  t.match(agent.metrics(), /_drains_total\{result="stopped"\} 1\n/);
  t.equal(machine.api.node.metadata.annotations?.[keys.interruptionState], undefined);
  await agent.stop();
});

await t.test('the cordon and the taints of a person stay', async (t) => {
  const machine = createMachine([]);
  const theirs = { key: 'example.com/keep', effect: 'NoSchedule' } as const;
  machine.change((node) => ({ ...node, spec: { unschedulable: true, taints: [theirs] } }));
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(1_000);
  t.equal(machine.api.node.spec.taints?.length, 2);
  agent.announce([]);
  await machine.clock.advance(1_000);
  t.strictSame(machine.api.node.spec, { taints: [theirs], unschedulable: true });
  await agent.stop();
});

await t.test('a source that cannot be read withdraws nothing', async (t) => {
  const machine = createMachine(pods(1));
  const agent = machine.startAgent();
  agent.announce([spot, advice]);
  await machine.clock.advance(1_000);
  agent.announce([advice], ['spot']);
  await machine.clock.advance(1_000);
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  agent.announce([advice]);
  await machine.clock.advance(1_000);
  t.equal(markText(machine.api.node), 'may-end:PreferNoSchedule');
  await agent.stop();
});

await t.test('an event far away is advice, and drains when its time comes', async (t) => {
  const machine = createMachine(pods(2));
  const agent = machine.startAgent();
  agent.announce([{ ...event, atMs: nowMs + 60 * minuteMs }]);
  await machine.clock.advance(50 * minuteMs - 1_000);
  t.equal(markText(machine.api.node), 'restarts:PreferNoSchedule');
  t.equal(machine.pods.requests.count, 0);
  await machine.clock.advance(2_000);
  t.equal(markText(machine.api.node), 'restarts:NoSchedule cordon');
  t.equal(machine.pods.accepted.length, 2);
  await agent.stop();
});

await t.test('advice without a time ends by itself, and does not come back while the cloud repeats it', async (t) => {
  const machine = createMachine(pods(1));
  let agent = machine.startAgent();
  agent.announce([advice]);
  await machine.clock.advance(59 * minuteMs);
  t.equal(markText(machine.api.node), 'may-end:PreferNoSchedule');
  await machine.clock.advance(2 * minuteMs);
  t.equal(markText(machine.api.node), '');
  await agent.stop();
  agent = machine.startAgent();
  agent.announce([advice]);
  await machine.clock.advance(60 * minuteMs);
  t.equal(markText(machine.api.node), '', 'also after a restart');
  await agent.stop();
});

await t.test('a deadline that joins advice shortens what is under way', async (t) => {
  const machine = createMachine([drainPod('slow', { graceSeconds: 600 })]);
  const agent = machine.startAgent(interruptionSettings('drain', 'aws', { actions: { aws: { 'may-end': 'drain' } } }));
  agent.announce([advice]);
  await machine.clock.advance(10_000);
  agent.announce([advice, spot]);
  await machine.clock.advance(1_000);
  t.strictSame(machine.pods.accepted, ['0 evict slow 600', '10 delete slow 100']);
  await agent.stop();
});

await t.test('the cloud hears of the end of a drain once, and only for a notice of this instance alone', async (t) => {
  const machine = createMachine(pods(1));
  const agent = machine.startAgent();
  agent.announce([spot, { ...event, atMs: nowMs + 5 * minuteMs, onlyThisInstance: false }]);
  await machine.clock.advance(20_000);
  t.strictSame(machine.acknowledged, []);
  await machine.clock.advance(60_000);
  t.strictSame(machine.acknowledged, ['spot/1']);
  await agent.stop();
});

await t.test('an acknowledgement that fails is tried again, and not all the time', async (t) => {
  const machine = createMachine([]);
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(4 * secondMs);
  machine.api.acknowledgeFails = true;
  await machine.clock.advance(60 * secondMs);
  t.strictSame(machine.acknowledged, []);
  t.ok(
    machine.acknowledgements.count > 3 && machine.acknowledgements.count < 8,
    String(machine.acknowledgements.count),
  );
  t.equal(machine.lines.filter((line) => line.includes('could not be acknowledged')).length, 1);
  machine.api.acknowledgeFails = false;
  await machine.clock.advance(60 * secondMs);
  t.strictSame(machine.acknowledged, ['spot/1']);
  await agent.stop();
});

await t.test('an event that cannot be written is written later, and delays nothing', async (t) => {
  const machine = createMachine(pods(1));
  const agent = machine.startAgent();
  machine.api.eventsFail = true;
  agent.announce([spot]);
  await machine.clock.advance(5 * secondMs);
  t.equal(machine.pods.accepted.length, 1);
  t.strictSame(machine.events, []);
  machine.api.eventsFail = false;
  await machine.clock.advance(10 * secondMs);
  t.strictSame(reasonsOf(machine), ['InterruptionAnnounced', 'DrainStarted']);
  await agent.stop();
});

await t.test('the API server is away when the notice comes', async (t) => {
  const machine = createMachine(pods(2));
  const agent = machine.startAgent();
  machine.api.fails = errorOf('unavailable');
  agent.announce([spot]);
  await machine.clock.advance(30_000);
  t.equal(machine.lines.filter((line) => line.includes('cannot be marked')).length, 1);
  t.equal(machine.pods.requests.count, 0, 'no pod goes before the Node is cordoned');
  machine.api.fails = undefined;
  await machine.clock.advance(3_000);
  t.equal(machine.pods.accepted.length, 2);
  await agent.stop();
});

await t.test('another writer changes the Node at the same moment', async (t) => {
  const machine = createMachine(pods(1));
  const agent = machine.startAgent();
  const [before] = [machine.api.node];
  agent.announce([spot]);
  machine.change((node) => ({ ...node, metadata: { ...node.metadata, labels: { other: 'writer' } } }));
  await machine.clock.advance(1_000);
  t.not(machine.api.node.metadata.resourceVersion, before.metadata.resourceVersion);
  t.strictSame(machine.api.node.metadata.labels, { other: 'writer' });
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  await agent.stop();
});

await t.test('a watch that is late does not cause the same write again', async (t) => {
  const machine = createMachine([]);
  const agent = machine.startAgent();
  machine.api.watched = machine.api.node;
  agent.announce([spot]);
  await machine.clock.advance(1_000);
  agent.announce([spot]);
  await machine.clock.advance(6_000);
  // The end of the drain is written once more after a conflict with the condition, which is a write of our own too.
  t.match(machine.patchRequests, { count: 3 }, 'the mark, and the end of the drain');
  t.equal(machine.patches.length, 2);
  await agent.stop();
});

await t.test('marks that someone removes come back while the notice holds', async (t) => {
  const machine = createMachine([]);
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(1_000);
  machine.change((node) => ({ ...node, spec: {} }));
  await machine.clock.advance(1_000);
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  await agent.stop();
});

await t.test('somebody who removes the marks all the time does not cause writes all the time', async (t) => {
  const machine = createMachine([]);
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(10_000);
  for (let at = 0; at < 600; at++) {
    if (markText(machine.api.node) !== '') machine.change((node) => ({ ...node, spec: {} }));
    await machine.clock.advance(100);
  }
  t.ok(machine.patches.length < 25, String(machine.patches.length));
  await machine.clock.advance(6_000);
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  await agent.stop();
});

await t.test('a Node that the agent must not manage is left alone, also in the middle of a drain', async (t) => {
  const machine = createMachine(pods(40));
  machine.pods.latencyMs = 500;
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(100);
  machine.api.isOwn = false;
  machine.change((node) => node);
  await machine.clock.advance(60_000);
  t.ok(machine.pods.accepted.length < 40);
  await agent.stop();
});

await t.test('a Node that replaces another one of its name is marked again', async (t) => {
  const machine = createMachine([]);
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(1_000);
  machine.change(({ metadata: { name, creationTimestamp, resourceVersion }, status }) => ({
    metadata: { name, creationTimestamp, resourceVersion, uid: 'another' },
    spec: {},
    status,
  }));
  await machine.clock.advance(1_000);
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  await agent.stop();
});

await t.test('a dry run logs what it would do once, and does nothing', async (t) => {
  const machine = createMachine(pods(2));
  const agent = machine.startAgent(undefined, true);
  agent.announce([spot]);
  await machine.clock.advance(10_000);
  agent.announce([spot]);
  await machine.clock.advance(10_000);
  t.strictSame([machine.patches, machine.conditions, machine.events, machine.pods.accepted], [[], [], [], []]);
  const planned = machine.lines.filter((line) => line.includes('Dry run'));
  t.equal(planned.length, 1);
  t.match(planned[0], /add taint .*"cordon"/);
  await agent.stop();
});
