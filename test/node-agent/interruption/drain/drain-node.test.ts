import t from 'tap';
import { createAlarm } from '../../../../node-agent/interruption/alarm.ts';
import { drainNode } from '../../../../node-agent/interruption/drain/drain-node.ts';
import type { DrainProgress } from '../../../../node-agent/interruption/drain/drain-node.ts';
import type { DrainPod } from '../../../../node-agent/interruption/drain/drain-pod.ts';
import { createHeartbeat } from '../../../../node-agent/interruption/heartbeat.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { logInto } from '../../../support/logs.ts';
import { nowMs } from '../notices.ts';
import { createFakePods, errorOf } from './fake-pods.ts';
import type { FakePods } from './fake-pods.ts';
import { drainPod } from './pods.ts';

const names = (count: number): readonly DrainPod[] =>
  Array.from({ length: count }, (_, at) => drainPod(`p${String(at)}`));

await t.test('all pods of a full node are asked within two seconds, a bounded number at a time', async (t) => {
  const { fake, clock, result } = start(names(110), 110);
  fake.latencyMs = 100;
  await clock.advance(2_000);
  t.equal(fake.accepted.length, 110);
  t.equal(fake.requests.most, 25);
  await clock.advance(31_000);
  t.equal(await result, 'finished');
  t.equal(fake.requests.count, 110, 'each once');
});

await t.test('a pod behind a shut budget gets its grace before the machine goes', async (t) => {
  const { fake, clock, result, lines, progress } = start([drainPod('free'), drainPod('shut')], 110);
  fake.refuses.set('shut', 'blocked');
  await clock.advance(79_900);
  t.strictSame(fake.accepted, ['0 evict free 30']);
  t.strictSame(progress.at(-1), { remaining: 1, blocked: ['shop/shut'] });
  await clock.advance(31_000);
  t.strictSame(fake.accepted, ['0 evict free 30', '80 delete shut 30']);
  t.equal(await result, 'finished');
  t.ok(fake.requests.count < 25, 'and nobody is asked all the time');
  t.equal(lines.filter((line) => line.includes('A disruption budget protects a pod')).length, 1);
  t.match(
    lines.find((line) => line.includes('deleted')),
    /pod="shop\/shut" reason="a disruption budget protects it, and 30 s are left/,
  );
});

await t.test('a budget that opens lets the pod go in time', async (t) => {
  const { fake, clock, result } = start([drainPod('shut')], 110);
  fake.refuses.set('shut', 'blocked');
  await clock.advance(12_000);
  fake.refuses.clear();
  await clock.advance(40_000);
  t.strictSame(fake.accepted, ['15 evict shut 30']);
  t.equal(await result, 'finished');
});

await t.test('flow control: nobody is asked until the time that the API server gave', async (t) => {
  const { fake, clock, result } = start(names(60), 110);
  fake.everything = errorOf('throttled', 7_000);
  await clock.advance(6_900);
  t.equal(fake.requests.count, 25, 'those that were under way');
  fake.everything = undefined;
  await clock.advance(300);
  t.equal(fake.accepted.length, 60);
  await clock.advance(31_000);
  t.equal(await result, 'finished');
});

await t.test('an API server that is away is asked again, and each pod is reported once', async (t) => {
  const { fake, clock, result, lines } = start(names(3), 110);
  fake.everything = errorOf('unavailable');
  await clock.advance(30_100);
  t.equal(lines.filter((line) => line.includes('A pod cannot be asked to go')).length, 3);
  fake.everything = undefined;
  await clock.advance(5_000);
  t.equal(fake.accepted.length, 3);
  await clock.advance(31_000);
  t.equal(await result, 'finished');
});

await t.test('a pod that was deleted meanwhile is no failure', async (t) => {
  const { fake, clock, result, lines, alarm } = start(names(2), 110);
  fake.refuses.set('p0', 'not-found');
  await clock.advance(1_000);
  fake.pods.delete('p0');
  alarm.ring();
  await clock.advance(31_000);
  t.equal(await result, 'finished');
  t.notOk(lines.some((line) => line.includes('cannot be asked')));
});

await t.test(
  'pods that were asked are logged, also if another request has no response before all have gone',
  async (t) => {
    const { fake, clock, result, lines, alarm } = start(
      [drainPod('quick', { graceSeconds: 1 }), drainPod('slow')],
      110,
    );
    fake.hangs.add('slow');
    await clock.advance(2_000);
    fake.pods.delete('slow');
    alarm.ring();
    await clock.advance(31_000);
    t.equal(await result, 'finished');
    t.match(
      lines.filter((line) => line.includes('Pods asked to go')),
      [/pods=1/],
    );
  },
);

await t.test('pods that a deadline overtakes get less time', async (t) => {
  const { fake, clock, setEnd } = start([drainPod('slow', { graceSeconds: 600 })], undefined);
  await clock.advance(10_000);
  t.strictSame(fake.accepted, ['0 evict slow 600']);
  setEnd(130);
  await clock.advance(1_000);
  t.strictSame(fake.accepted.slice(1), ['10 delete slow 120']);
});

await t.test('a drain stops when its reason has gone, also while requests are under way', async (t) => {
  const { fake, clock, result, stop } = start(names(110), 110);
  fake.latencyMs = 100;
  await clock.advance(150);
  stop();
  await clock.advance(10_000);
  t.equal(await result, 'stopped');
  t.ok(fake.accepted.length < 110);
});

await t.test('a pod that was created after the cordon tolerates it, and is left alone', async (t) => {
  const { fake, clock, result, alarm } = start([drainPod('a'), drainPod('shut')], 110);
  fake.refuses.set('shut', 'blocked');
  await clock.advance(60_000);
  fake.pods.set('bound-late', drainPod('bound-late'));
  fake.pods.set('tolerates', drainPod('tolerates', { createdAtMs: nowMs + 6_000 }));
  alarm.ring();
  await clock.advance(60_000);
  t.equal(await result, 'finished');
  t.strictSame([...fake.pods.keys()], ['tolerates']);
});

await t.test('an empty Node: a pod that the scheduler binds just after the cordon has to go too', async (t) => {
  const { fake, clock, result, alarm, progress } = start([], 110);
  await clock.advance(3_000);
  fake.pods.set('bound', drainPod('bound', { createdAtMs: nowMs }));
  alarm.ring();
  await clock.advance(100);
  t.strictSame(fake.accepted, ['3 evict bound 30']);
  t.equal(progress.at(-1)?.remaining, 1);
  await clock.advance(31_000);
  t.equal(await result, 'finished');
});

await t.test('requests that hang do not keep the other pods waiting', async (t) => {
  const { fake, clock, result } = start(names(110), 300);
  // A webhook of one namespace, whose requests end after the limit of 10 s.
  for (let at = 0; at < 60; at++) fake.hangs.add(`p${String(at)}`);
  await clock.advance(25_000);
  t.equal(fake.accepted.length, 50);
  fake.hangs.clear();
  await clock.advance(60_000);
  t.equal(await result, 'finished');
});

for (const [what, stepMs] of [
  ['back', -3_600_000],
  ['forward', 20_000],
] as const) {
  await t.test(`the clock is set ${what}: retries and flow control go on`, async (t) => {
    const { fake, clock } = start([drainPod('shut'), drainPod('b')], 7_200);
    fake.everything = errorOf('throttled', 4_000);
    await clock.advance(100);
    clock.setWall(clock.wallMs() + stepMs);
    fake.everything = undefined;
    fake.refuses.set('shut', 'blocked');
    await clock.advance(10_000);
    t.equal(fake.accepted.length, 1);
    const { count } = fake.requests;
    await clock.advance(10_000);
    t.equal(fake.requests.count - count, 2, 'every 5 s');
  });
}

await t.test('before the pods are listed it waits', async (t) => {
  const { clock, list, fake } = start(names(1), 110, { isListed: false });
  await clock.advance(5_000);
  t.equal(fake.requests.count, 0);
  list();
  await clock.advance(100);
  t.equal(fake.requests.count, 1);
});

await t.test('restarted at any moment of a drain, it asks no pod twice and finishes', async (t) => {
  for (let round = 0; round < 50; round++) {
    const clock = createFakeClock(nowMs);
    const alarm = createAlarm(clock);
    const fake = createFakePods(names(40), alarm, clock);
    fake.latencyMs = 40;
    fake.refuses.set('p7', 'blocked');
    let run = startOn(fake, clock, alarm, 110);
    await clock.advance(round * 2_000 + 13);
    run.stop();
    await clock.advance(700);
    run = startOn(fake, clock, alarm, 110);
    await clock.advance(120_000 - round * 2_000);
    t.equal(await run.result, 'finished', `restarted after ${String(round * 2)} s`);
    const asked = fake.accepted.map((line) => line.split(' ')[2]);
    t.equal(new Set(asked).size, 40);
    t.equal(asked.length, 40);
    t.match(
      fake.accepted.find((line) => line.includes('delete p7')),
      /^8\d/,
    );
  }
});

interface DrainRun {
  readonly result: Promise<'finished' | 'stopped'>;
  readonly progress: DrainProgress[];
  readonly lines: string[];
  stop(): void;
  list(): void;
  setEnd(seconds: number): void;
}

function start(
  pods: readonly DrainPod[],
  endAtS: number | undefined,
  { isListed = true } = {},
): DrainRun & { readonly clock: FakeClock; readonly fake: FakePods; readonly alarm: ReturnType<typeof createAlarm> } {
  const clock = createFakeClock(nowMs);
  const alarm = createAlarm(clock);
  const fake = createFakePods(pods, alarm, clock);
  return { ...startOn(fake, clock, alarm, endAtS, isListed), clock, fake, alarm };
}

function startOn(
  fake: FakePods,
  clock: FakeClock,
  alarm: ReturnType<typeof createAlarm>,
  endAtS: number | undefined,
  isListed = true,
): DrainRun {
  const ending = new AbortController();
  const progress: DrainProgress[] = [];
  const lines: string[] = [];
  let endAtMs = endAtS === undefined ? undefined : nowMs + endAtS * 1_000;
  let listed = isListed;
  const deps = {
    nodeName: 'node-a',
    clock,
    alarm,
    heartbeat: createHeartbeat(clock),
    log: logInto((line) => void lines.push(line)),
    pods: () => (listed ? [...fake.pods.values()] : undefined),
    times: () => ({ startedAtMs: nowMs, ...(endAtMs !== undefined && { endAtMs }) }),
    send: fake.send,
    onProgress: (each: DrainProgress) => void progress.push(each),
  };
  return {
    // Not before the test has set what is refused.
    result: Promise.resolve().then(() => drainNode(deps, ending.signal)),
    progress,
    lines,
    stop: () => ending.abort(new Error('the end')),
    list: () => {
      listed = true;
      alarm.ring();
    },
    setEnd: (seconds) => {
      endAtMs = nowMs + seconds * 1_000;
      alarm.ring();
    },
  };
}
