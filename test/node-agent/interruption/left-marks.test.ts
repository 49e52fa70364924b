import t from 'tap';
import { interruptionSettings } from '../../../node-agent/interruption/settings.ts';
import { readState } from '../../../node-agent/interruption/state.ts';
import { keys } from '../../../schemas/keys.ts';
import { errorOf } from './drain/fake-pods.ts';
import { drainPod } from './drain/pods.ts';
import { createMachine, markText, reasonsOf } from './harness.ts';
import type { Machine } from './harness.ts';
import { minuteMs, notice, nowMs, secondMs } from './notices.ts';

const spot = notice({ id: 'spot/1', atMs: nowMs + 120 * secondMs });
const reboot = notice({ id: 'event-1', source: 'scheduled-events', effect: 'restarts', vendorText: 'system-reboot' });

/** Marked, in the middle of a drain, and without an agent. */
async function leaveMarks(blocked = true): Promise<Machine> {
  const machine = createMachine([drainPod('a'), drainPod('shut')]);
  if (blocked) machine.pods.refuses.set('shut', 'blocked');
  const agent = machine.startAgent();
  agent.announce([spot, { ...reboot, atMs: nowMs + 5 * minuteMs }]);
  await machine.clock.advance(10 * secondMs);
  await agent.stop();
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  return machine;
}

for (const mode of ['ignore', 'report'] as const) {
  await t.test(`an agent with mode ${mode} removes the marks that an agent with mode drain left`, async (t) => {
    const machine = await leaveMarks();
    const agent = machine.startAgent(interruptionSettings(mode, 'aws', {}));
    agent.announce(mode === 'ignore' ? [] : [spot]);
    await machine.clock.advance(60 * secondMs);
    t.equal(markText(machine.api.node), '');
    t.notOk(readState(machine.api.node).hasOurCordon);
    t.equal(machine.conditions.at(-1)?.status, mode === 'ignore' ? 'False' : 'True');
    t.strictSame([machine.pods.accepted.length, machine.pods.pods.has('shut')], [1, true], 'no other pod goes');
    await agent.stop();
  });
}

await t.test('an agent with mode taint keeps the taint, and removes the cordon', async (t) => {
  const machine = await leaveMarks();
  const agent = machine.startAgent(interruptionSettings('taint', 'aws', {}));
  agent.announce([spot]);
  await machine.clock.advance(secondMs);
  t.equal(markText(machine.api.node), 'ends:NoSchedule');
  await agent.stop();
});

await t.test('a notice that was withdrawn while no agent ran evicts nobody', async (t) => {
  const machine = await leaveMarks();
  machine.pods.refuses.clear();
  const agent = machine.startAgent();
  await machine.clock.advance(secondMs);
  agent.announce([]);
  await machine.clock.advance(60 * secondMs);
  t.equal(machine.pods.accepted.length, 1);
  t.equal(markText(machine.api.node), '');
  t.strictSame(reasonsOf(machine).slice(-2), ['InterruptionWithdrawn', 'InterruptionWithdrawn']);
  await agent.stop();
});

await t.test('an agent that cannot read the notices goes on with the drain after 5 s', async (t) => {
  const machine = await leaveMarks();
  machine.pods.refuses.clear();
  const agent = machine.startAgent();
  await machine.clock.advance(4 * secondMs);
  t.equal(machine.pods.accepted.length, 1);
  await machine.clock.advance(2 * secondMs);
  t.equal(machine.pods.accepted.length, 2);
  await agent.stop();
});

await t.test('or as soon as it knows that it cannot', async (t) => {
  const machine = await leaveMarks();
  machine.pods.refuses.clear();
  const agent = machine.startAgent();
  agent.loop.pollFailed();
  await machine.clock.advance(secondMs);
  t.equal(machine.pods.accepted.length, 2);
  await agent.stop();
});

await t.test(
  'after the time of the notices, as after a reboot, no pod goes until the cloud still lists one',
  async (t) => {
    const machine = await leaveMarks();
    machine.pods.refuses.clear();
    await machine.clock.advance(10 * minuteMs);
    const agent = machine.startAgent();
    agent.loop.pollFailed();
    await machine.clock.advance(5 * minuteMs);
    t.equal(machine.pods.accepted.length, 1, 'the pods may have come after the reboot');
    t.equal(markText(machine.api.node), 'ends:NoSchedule cordon', 'nothing was withdrawn yet');
    agent.announce([]);
    await machine.clock.advance(secondMs);
    t.equal(markText(machine.api.node), '');
    t.equal(machine.pods.accepted.length, 1);
    await agent.stop();
  },
);

await t.test('a notice that the cloud still lists then counts like a new one: the pods get their grace', async (t) => {
  const machine = await leaveMarks();
  machine.pods.refuses.clear();
  await machine.clock.advance(10 * minuteMs);
  const agent = machine.startAgent();
  agent.announce([{ ...reboot, atMs: nowMs + 5 * minuteMs }]);
  await machine.clock.advance(secondMs);
  t.match(machine.pods.accepted, [/ evict a 30$/, / evict shut 30$/]);
  t.equal(machine.pods.accepted.length, 2);
  await agent.stop();
});

await t.test('a Node that the watch delivers after the first poll', async (t) => {
  const machine = await leaveMarks();
  machine.pods.refuses.clear();
  machine.api.isOwn = false;
  const agent = machine.startAgent();
  agent.announce([]);
  await machine.clock.advance(secondMs);
  machine.api.isOwn = true;
  machine.change((node) => node);
  await machine.clock.advance(60 * secondMs);
  t.equal(machine.pods.accepted.length, 1, 'what the poll did not list is not restored');
  t.equal(markText(machine.api.node), '');
  await agent.stop();
});

await t.test('the time of a notice without one counts from the first agent that saw it', async (t) => {
  const machine = createMachine([drainPod('shut')]);
  machine.pods.refuses.set('shut', 'blocked');
  const preempted = notice({ id: 'preempted', withinMs: 30 * secondMs, vendorText: 'preempted' });
  let agent = machine.startAgent();
  agent.announce([preempted]);
  await machine.clock.advance(8 * secondMs);
  await agent.stop();
  agent = machine.startAgent();
  agent.announce([preempted]);
  await machine.clock.advance(30 * secondMs);
  t.strictSame(machine.pods.accepted, ['10 delete shut 10'], '10 s before 30 s, and half of it is left for the budget');
  await agent.stop();
});

await t.test('a state from the future, and one with much text', async (t) => {
  const machine = createMachine([drainPod('a')]);
  const far = { ...spot, firstSeenAtMs: nowMs + 60 * minuteMs, vendorText: `\u001B[31m${'x'.repeat(9_000)}` };
  const state = {
    notices: [far],
    hasOurCordon: true,
    drain: { startedAtMs: nowMs + 60 * minuteMs, isFinished: false },
  };
  machine.change((node) => ({
    ...node,
    metadata: { ...node.metadata, annotations: { [keys.interruptionState]: JSON.stringify(state) } },
    spec: { unschedulable: true },
  }));
  const agent = machine.startAgent();
  await machine.clock.advance(10 * secondMs);
  t.equal(machine.pods.accepted.length, 1);
  const kept = machine.api.node.metadata.annotations?.[keys.interruptionState] ?? '';
  t.ok(kept.length < 1_000);
  t.notMatch(String(machine.conditions[0]?.message), '\u001B');
  t.equal(readState(machine.api.node).notices[0]?.firstSeenAtMs, nowMs);
  agent.announce([]);
  await machine.clock.advance(secondMs);
  t.equal(markText(machine.api.node), '');
  await agent.stop();
});

await t.test('a drain stops when its reason is gone, even if the Node cannot be written', async (t) => {
  const machine = createMachine(Array.from({ length: 60 }, (_, at) => drainPod(`p${String(at)}`)));
  machine.pods.latencyMs = 1_000;
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(500);
  machine.api.fails = errorOf('forbidden');
  agent.announce([]);
  await machine.clock.advance(60 * secondMs);
  t.equal(machine.pods.accepted.length, 0);
  t.ok(machine.pods.requests.count <= 25);
  machine.api.fails = undefined;
  await machine.clock.advance(61 * secondMs);
  t.equal(markText(machine.api.node), '');
  await agent.stop();
});

await t.test('also while a request about the Node hangs', async (t) => {
  const machine = createMachine(Array.from({ length: 60 }, (_, at) => drainPod(`p${String(at)}`)));
  machine.pods.latencyMs = 1_000;
  const agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(500);
  machine.api.hangs = true;
  machine.change((node) => ({ ...node, spec: {} }));
  await machine.clock.advance(100);
  agent.announce([]);
  await machine.clock.advance(9 * secondMs);
  t.equal(machine.pods.accepted.length, 0);
  machine.api.hangs = false;
  await machine.clock.advance(20 * secondMs);
  t.equal(markText(machine.api.node), '');
  await agent.stop();
});

await t.test('marks that may not be removed do not cause requests all the time', async (t) => {
  const machine = await leaveMarks();
  machine.api.fails = errorOf('forbidden');
  const agent = machine.startAgent();
  const before = machine.requests.count;
  for (let at = 0; at < 600; at++) {
    agent.announce([]);
    await machine.clock.advance(secondMs);
  }
  const count = machine.requests.count - before;
  t.ok(count > 10 && count < 90, String(count));
  await agent.stop();
});

for (const [what, stepMs] of [
  ['back by an hour', -60 * minuteMs],
  ['forward by an hour', 60 * minuteMs],
] as const) {
  await t.test(`the clock is set ${what}: a notice without a time keeps its two minutes`, async (t) => {
    const machine = createMachine([drainPod('shut')]);
    machine.pods.refuses.set('shut', 'blocked');
    const agent = machine.startAgent();
    agent.announce([notice({ id: 'auto-scaling/Terminated', state: 'started' })]);
    await machine.clock.advance(10 * secondMs);
    machine.clock.setWall(machine.clock.wallMs() + stepMs);
    await machine.clock.advance(60 * secondMs);
    t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
    t.strictSame(machine.pods.accepted, []);
    await machine.clock.advance(20 * secondMs);
    t.match(machine.pods.accepted, [/ delete shut 30$/]);
    t.equal(machine.pods.accepted.length, 1);
    await agent.stop();
  });
}
