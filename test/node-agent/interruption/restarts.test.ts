import t from 'tap';
import { keys } from '../../../schemas/keys.ts';
import { drainPod } from './drain/pods.ts';
import { createMachine, markText, reasonsOf } from './harness.ts';
import { minuteMs, notice, nowMs, secondMs } from './notices.ts';

const spot = notice({ id: 'spot/1', atMs: nowMs + 120 * secondMs });
const advice = notice({ id: 'rebalance/1', source: 'rebalance', effect: 'may-end', vendorText: 'rebalance' });
const event = notice({ id: 'event-1', source: 'scheduled-events', effect: 'restarts', vendorText: 'system-reboot' });
const pods = (count: number): ReturnType<typeof drainPod>[] =>
  Array.from({ length: count }, (_, at) => drainPod(`p${String(at)}`));

await t.test('SIGTERM leaves the marks, and the next agent goes on', async (t) => {
  const machine = createMachine(pods(40));
  machine.pods.latencyMs = 500;
  machine.pods.refuses.set('p1', 'blocked');
  let agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(600);
  await agent.stop();
  t.equal(markText(machine.api.node), 'ends:NoSchedule cordon');
  const before = machine.pods.accepted.length;
  await machine.clock.advance(1_000);
  t.equal(machine.pods.accepted.length, before);

  agent = machine.startAgent();
  await machine.clock.advance(90_000);
  t.equal(machine.pods.accepted.length, 40, 'without a word from the metadata service');
  t.match(machine.pods.accepted.at(-1), /^80(?:\.\d+)? delete p1 /, 'at the same time as without a restart');
  t.equal(reasonsOf(machine).filter((reason) => reason === 'InterruptionAnnounced').length, 1);
  t.equal(reasonsOf(machine).filter((reason) => reason === 'DrainStarted').length, 1);
  agent.announce([]);
  await machine.clock.advance(1_000);
  t.equal(markText(machine.api.node), '', 'and undoes what the other one did');
  await agent.stop();
});

await t.test('an agent that starts after the end of a drain asks nobody again', async (t) => {
  const machine = createMachine(pods(2));
  let agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(40_000);
  await agent.stop();
  machine.pods.pods.set('tolerates', drainPod('tolerates'));
  agent = machine.startAgent();
  agent.announce([spot]);
  await machine.clock.advance(10_000);
  t.equal(machine.pods.requests.count, 2);
  await agent.stop();
});

await t.test('restarted at random moments of a whole day of notices, it ends where it began', async (t) => {
  const day = [[advice], [advice, spot], [spot], [{ ...event, atMs: nowMs + 20 * minuteMs }], []];
  for (let round = 0; round < 20; round++) {
    const machine = createMachine(pods(12));
    machine.pods.refuses.set('p3', 'blocked');
    let agent = machine.startAgent();
    for (const [step, notices] of day.entries()) {
      agent.announce(notices);
      await machine.clock.advance(((round * 7 + step * 11) % 60) * 1_000);
      await agent.stop();
      await machine.clock.advance(500);
      agent = machine.startAgent();
      await machine.clock.advance(1_000);
    }
    agent.announce([]);
    await machine.clock.advance(30_000);
    t.equal(markText(machine.api.node), '', `round ${String(round)}`);
    t.equal(machine.api.node.metadata.annotations?.[keys.interruptionState], undefined);
    t.equal(machine.conditions.at(-1)?.status, 'False');
    await agent.stop();
  }
});
