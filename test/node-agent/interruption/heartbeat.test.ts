import t from 'tap';
import { createHeartbeat, heartbeatChecks } from '../../../node-agent/interruption/heartbeat.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { drainPod } from './drain/pods.ts';
import { createMachine } from './harness.ts';
import { minuteMs, notice, nowMs } from './notices.ts';

await t.test('a loop that has not looked for three minutes has stopped', async (t) => {
  const clock = createFakeClock(nowMs);
  const drain = createHeartbeat(clock);
  const problems = (): readonly unknown[] => heartbeatChecks({ drain }).map(({ problem }) => problem());
  await clock.advance(10 * minuteMs);
  t.strictSame(problems(), [undefined], 'it does not run yet');
  drain.beat();
  await clock.advance(3 * minuteMs);
  t.strictSame(problems(), [undefined]);
  await clock.advance(1_000);
  t.strictSame(problems(), ['the loop of drain has stopped']);
  drain.end();
  t.strictSame(problems(), [undefined], 'it has ended as it should');
});

await t.test('the loops beat, whatever happens or fails', async (t) => {
  const machine = createMachine([drainPod('shut')]);
  machine.pods.refuses.set('shut', 'blocked');
  const agent = machine.startAgent();
  const silences = (): readonly (number | undefined)[] => agent.heartbeats.map(({ silentMs }) => silentMs());
  const longest = [0, 0];
  agent.announce([notice({ effect: 'ends', atMs: nowMs + 9 * minuteMs })]);
  for (let at = 0; at < 8 * 60; at++) {
    await machine.clock.advance(1_000);
    for (const [index, silentMs = 0] of silences().entries()) longest[index] = Math.max(longest[index] ?? 0, silentMs);
  }
  t.ok(
    longest.every((silentMs) => silentMs <= 10_000),
    String(longest),
  );
  agent.announce([]);
  await machine.clock.advance(minuteMs);
  t.strictSame(
    silences().map((silentMs) => silentMs === undefined),
    [false, true],
    'a drain that was stopped does not beat',
  );
  await agent.stop();
});
