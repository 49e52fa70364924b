import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import type { NodeEvent } from '../../../lib/node/node-event.ts';
import { createFailureReporter } from '../../../node-agent/broker/failure-reporter.ts';
import type { LoginFailure } from '../../../node-agent/broker/failure-reporter.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { logInto } from '../../support/logs.ts';
import { createBrokerHarness, denied, hourMs, startMs } from './harness.ts';
import { createSigningCluster } from './tokens/signing-cluster.ts';

const minuteMs = 60_000;
const failure: LoginFailure = { registry: 'a.example', reason: 'denied', text: 'the cloud refuses it; hint: allow it' };

function setUp(writeEvent?: (event: NodeEvent) => Promise<void>) {
  const clock = createFakeClock(startMs);
  const [events, logLines]: [NodeEvent[], string[]] = [[], []];
  const write = async (event: NodeEvent): Promise<void> => void events.push(event);
  const log = logInto((line) => void logLines.push(line));
  return { clock, events, logLines, report: createFailureReporter({ clock, log, writeEvent: writeEvent ?? write }) };
}

await t.test('each kind of failure of a registry is reported once in 5 minutes', async (t) => {
  const { clock, events, logLines, report } = setUp();
  for (let minute = 0; minute < 11; minute++) {
    for (let pull = 0; pull < 5; pull++) report({ ...failure, text: `request ${String(minute * 5 + pull)}` });
    await clock.advance(minuteMs);
  }
  t.strictSame(
    events.map(({ message }) => message),
    [0, 25, 50].map((number) => `no login to a.example: request ${String(number)}`),
  );
  t.equal(logLines.length, 3);
  report({ ...failure, registry: 'b.example', serviceAccount: 'shop/cart' });
  report({ ...failure, reason: 'throttled' });
  t.match(events.slice(3), [
    {
      type: 'Warning',
      reason: 'RegistryLoginFailed',
      message: /^no login to b.example for service account shop\/cart: the/,
    },
    { message: 'no login to a.example: the cloud refuses it; hint: allow it' },
  ]);
});

await t.test('their number is bounded, and what is forgotten is reported again', async (t) => {
  const { clock, events, report } = setUp();
  for (let number = 0; number < 10_000; number++) report({ ...failure, registry: `r${String(number)}.example` });
  t.equal(events.length, 50);
  await clock.advance(5 * minuteMs);
  report(failure);
  t.equal(events.length, 51);
});

await t.test('an event that cannot be written, or that hangs, changes nothing', async (t) => {
  const refusing = setUp(async () => Promise.reject(new Error('no API server')));
  refusing.report(failure);
  await refusing.clock.advance(minuteMs);
  t.match(refusing.logLines, ['Broker: no login err="the cloud refuses it; hint: allow it"']);

  const harness = await createBrokerHarness({ writeEvent: async () => new Promise(() => {}) });
  t.teardown(harness.stop);
  harness.environment.onLogin = denied;
  t.match(await harness.ask('a.toy.example/app'), /failure\n.*the cloud refuses it/);
});

await t.test('a failed pull becomes an event with its registry and its service account', async (t) => {
  const events: NodeEvent[] = [];
  const harness = await createBrokerHarness({ writeEvent: async (event) => void events.push(event) });
  t.teardown(harness.stop);
  harness.environment.onLogin = denied;
  await harness.ask('a.toy.example/app');
  await harness.ask('a.toy.example/other');
  await harness.ask('quay.io/a/b');
  harness.environment.onLogin = () => {};
  await harness.ask('b.toy.example/app');
  t.strictSame(events, [
    {
      type: 'Warning',
      reason: 'RegistryLoginFailed',
      message: 'no login to a.toy.example: the cloud refuses it; hint: allow it',
    },
  ]);
  t.match(harness.metricsText(), 'polycloud_broker_login_failures_total{cloud="toy",reason="denied"} 2\n');
  t.match(harness.metricsText(), 'polycloud_broker_login_duration_seconds_count 3\n');
});

await t.test('for a pod the event names its service account, and never the token', async (t) => {
  const events: NodeEvent[] = [];
  const harness = await createBrokerHarness({ writeEvent: async (event) => void events.push(event) });
  t.teardown(harness.stop);
  const serviceAccountToken = createSigningCluster('RS256', 'https://cluster.example').sign({
    expiresAtMs: startMs + hourMs,
  });
  harness.environment.onLogin = () => {
    throw new Failure('denied', `the cloud refuses ${serviceAccountToken}`, { remedy: 'allow it' });
  };
  await harness.ask('a.toy.example/app', { serviceAccountToken, serviceAccountAnnotations: {} });
  t.match(events, [
    { message: /^no login to a.toy.example for service account [a-z]+\/[a-z]+: the cloud refuses \*\*\*/ },
  ]);
  t.notMatch(events[0]?.message, serviceAccountToken.slice(-20));
});
