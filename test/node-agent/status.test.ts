import t from 'tap';
import { newAgentState } from '../../node-agent/node-sync/agent-state.ts';
import type { AgentState } from '../../node-agent/node-sync/agent-state.ts';
import { healthChecks, withBroker } from '../../node-agent/health.ts';
import { isWell, statusOf, statusText } from '../../node-agent/status.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import { instance } from './node-sync/harness.ts';
import { nodeWith } from './node-object.ts';

const clock = createFakeClock(0);
await clock.advance(100_000);

const failed = {
  kind: 'failed',
  reason: 'NodeInitFailed',
  message: 'it is down',
  failure: { err: 'it is down' },
  problemKey: 'x',
  failureReason: 'unavailable',
  source: 'machine',
  retryAfterMs: undefined,
} as const;
const read = { instance, readAtMs: 90_000 };
const done = { kind: 'synced', node: nodeWith({}), writes: 0, changes: [], isNew: false } as const;

const rows: readonly {
  readonly known: Partial<AgentState>;
  readonly state: string;
  readonly says: RegExp;
  readonly isReady: boolean;
}[] = [
  { known: {}, state: 'no-node', says: /^node: node-a: not found/, isReady: false },
  {
    known: { node: nodeWith({ isNew: true }) },
    state: 'not-initialised',
    says: /not initialised \(not checked yet\)/,
    isReady: false,
  },
  {
    known: { node: nodeWith({ isNew: true }), lastResult: failed },
    state: 'not-initialised',
    says: /\(NodeInitFailed: it is down\)/,
    isReady: false,
  },
  {
    known: { node: nodeWith({}), lastResult: { kind: 'left-alone', why: 'label x' } },
    state: 'left-alone',
    says: /left alone \(label x\)/,
    isReady: true,
  },
  {
    known: { node: nodeWith({}), ...read, lastResult: failed },
    state: 'failing',
    says: /failing \(NodeInitFailed/,
    isReady: true,
  },
  {
    known: {
      node: nodeWith({}),
      ...read,
      lastResult: { kind: 'planned', changes: ['set label a=b', 'set label c=d'] },
    },
    state: 'differs',
    says: /not in sync \(would set label a=b, set label c=d\)/,
    isReady: true,
  },
  {
    known: { node: nodeWith({ isNew: true }), ...read, lastResult: { kind: 'planned', changes: ['set label a=b'] } },
    state: 'not-initialised',
    says: /not initialised \(would set label a=b\)/,
    isReady: true,
  },
  {
    known: { node: nodeWith({}), ...read, lastResult: done },
    state: 'in-sync',
    says: /in sync\n.*\ninstance: aws:\S+ \(m7g\.large, us-west-2b\)\naddresses: InternalIP 10\.0\.0\.20\nmetadata: read 10 s ago\nAPI server: last response 1 s ago\n$/,
    isReady: true,
  },
];
for (const { known, state, says, isReady } of rows) {
  await t.test(`${state}: ${says.source.slice(0, 40)}`, (t) => {
    const whole = { ...newAgentState(99_000), ...known };
    const sources = {
      nodeName: 'node-a',
      dryRun: false,
      nodeSync: { state: whole, lastApiContactAtMs: () => 99_000 },
      clock,
      brokerStatus: () => undefined,
    };
    const status = statusOf(sources);
    t.equal(status.state, state);
    t.match(statusText(status), says);
    const { ready, live } = healthChecks(whole, 60_000, clock);
    t.equal(
      ready.every(({ problem }) => problem() === undefined),
      isReady,
    );
    t.ok(live.every(({ problem }) => problem() === undefined));
    t.end();
  });
}

await t.test('the status lists the cached logins without their passwords', (t) => {
  const login = { registry: 'team.azurecr.io', identity: 'node', expiresAt: '2026-11-18T15:00:00.000Z' } as const;
  const requests = { answer: 3, failure: 0, decline: 1 };
  const broker = { socket: '/run/polycloud/broker.sock', requests, logins: [login] };
  const nodeSync = { state: newAgentState(99_000), lastApiContactAtMs: () => 99_000 };
  const status = statusOf({ nodeName: 'node-a', dryRun: false, nodeSync, clock, brokerStatus: () => broker });
  t.strictSame(status.broker, broker);
  t.match(
    statusText(status),
    /broker: 1 login at \/run\/polycloud\/broker\.sock\n {2}team\.azurecr\.io \(node\), until 2026-11-18T15:00/,
  );
  t.end();
});

await t.test('liveness fails when the sync loop has stopped', async (t) => {
  const late = createFakeClock(0);
  const { live } = healthChecks(newAgentState(0), 60_000, late);
  await late.advance(6 * 60_000);
  t.equal(live[0]?.problem(), undefined);
  await late.advance(2 * 60_000);
  t.match(live[0]?.problem(), /has stopped/);
});

await t.test('an agent that only serves logins needs no Node and reports none', (t) => {
  const { ready, live } = healthChecks(undefined, 60_000, clock);
  t.strictSame([ready, live], [[], []]);
  const status = statusOf({
    nodeName: 'node-a',
    dryRun: false,
    nodeSync: undefined,
    clock,
    brokerStatus: () => undefined,
  });
  t.strictSame(status, { node: 'node-a', dryRun: false, state: 'not-synced' });
  t.equal(statusText(status), 'node: node-a: not synced (--node-sync=false)\n');
  t.end();
});

await t.test('the status shows why the broker does not serve its socket', (t) => {
  const requests = { answer: 0, failure: 0, decline: 0 };
  const broker = { socket: '/run/polycloud/broker.sock', problem: 'the disk is full', requests, logins: [] };
  const status = statusOf({
    nodeName: 'node-a',
    dryRun: false,
    nodeSync: undefined,
    clock,
    brokerStatus: () => broker,
  });
  t.match(statusText(status), 'broker: 0 logins at /run/polycloud/broker.sock, not served: the disk is full\n');
  t.end();
});

await t.test('readiness and liveness include the broker', (t) => {
  const state = { ...newAgentState(99_000), node: nodeWith({}), ...read, lastResult: done };
  const broker = { stuck: () => undefined, socketProblem: () => undefined };
  for (const own of [healthChecks(state, 60_000, clock), healthChecks(undefined, 60_000, clock)]) {
    const problemsWith = (now: ReturnType<Parameters<typeof withBroker>[1]>): readonly unknown[] => {
      const { live, ready } = withBroker(own, () => now);
      return [live, ready].map((checks) =>
        checks.flatMap((check) => (check.problem() === undefined ? [] : check.name)),
      );
    };
    t.strictSame(problemsWith(broker), [[], []]);
    t.strictSame(problemsWith(undefined), [[], ['broker-socket']], 'while the broker is starting');
    t.strictSame(problemsWith({ ...broker, socketProblem: () => 'the disk is full' }), [[], ['broker-socket']]);
    t.strictSame(problemsWith({ ...broker, stuck: () => 'refreshing logins' }), [['broker'], []]);
  }
  t.end();
});

await t.test('the status of a dry run begins with `dry run`', (t) => {
  const nodeSync = { state: newAgentState(99_000), lastApiContactAtMs: () => 99_000 };
  const status = statusOf({ nodeName: 'node-a', dryRun: true, nodeSync, clock, brokerStatus: () => undefined });
  t.match(status, { dryRun: true });
  t.match(statusText(status), /^dry run: nothing is written to the API server\nnode: node-a: /);
  t.end();
});

await t.test('what the cloud announced, and the drain', (t) => {
  const drain = { remaining: 3, blocked: ['shop/db-0'] };
  const interruption = { notices: ['the instance ends (spot interruption: terminate)'], drain };
  const sources = { nodeName: 'node-a', dryRun: false, nodeSync: undefined, clock, brokerStatus: () => undefined };
  const status = statusOf({ ...sources, interruptionStatus: () => interruption });
  t.strictSame(status.interruption, interruption);
  t.match(statusText(status), /notice: the instance ends [^]*drain: 3 pods remain, 1 protected by budgets\n$/);
  t.notMatch(statusText(statusOf(sources)), /notice|drain/);
  t.end();
});

await t.test(
  '`status` exits with 1 if the Node is missing, not initialised or failing, or the broker does not serve',
  (t) => {
    const broker = {
      socket: '/run/polycloud/broker.sock',
      requests: { answer: 0, failure: 0, decline: 0 },
      logins: [],
    };
    const base = { node: 'node-a', dryRun: false };
    const well = (['in-sync', 'differs', 'left-alone', 'not-synced'] as const).map((state) =>
      isWell({ ...base, state }),
    );
    t.strictSame(well, [true, true, true, true]);
    const wrong = (['no-node', 'not-initialised', 'failing'] as const).map((state) => isWell({ ...base, state }));
    t.strictSame(wrong, [false, false, false]);
    t.ok(isWell({ ...base, state: 'in-sync', broker }));
    t.notOk(isWell({ ...base, state: 'in-sync', broker: { ...broker, problem: 'the disk is full' } }));
    t.end();
  },
);
