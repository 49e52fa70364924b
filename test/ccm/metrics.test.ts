import t from 'tap';
import { createControllerMetrics, measureController } from '../../ccm/metrics.ts';
import { Failure } from '../../lib/failure.ts';
import { createMetrics } from '../../lib/metrics/metrics.ts';
import { controllerMetrics } from '../../schemas/metrics/controller.ts';
import { checkServed } from '../support/declared-metrics.ts';
import { knownNode, newNode, startHarness } from './node-controller/harness.ts';

await t.test('exactly the declared metrics are registered', (t) => {
  const { controller, clock } = startHarness();
  const metrics = createMetrics();
  createControllerMetrics(metrics);
  measureController(metrics, { nodes: controller, routes: undefined }, clock);
  checkServed(t, metrics.text(), [controllerMetrics]);
  t.end();
});

await t.test('a failed look-up has a reason, a partly throttled one too', (t) => {
  const metrics = createMetrics();
  const counted = createControllerMetrics(metrics);
  const scope = { cloud: 'toy', scope: 'toy/here' };
  const failure = new Failure('denied', 'no', { remedy: 'allow it' });
  counted.countLookup(scope, {});
  counted.countLookup(scope, { failure, throttled: failure });
  counted.countLookup(scope, { throttled: new Failure('throttled', 'too many', { remedy: 'wait' }) });
  counted.countCloudRequest('toy', 403);
  counted.countCloudRequest('toy', undefined);
  const text = metrics.text();
  const about = 'cloud="toy",scope="toy/here"';
  t.match(text, `polycloud_ccm_looks_total{${about},result="success"} 2\n`);
  t.match(text, `polycloud_ccm_looks_total{${about},result="error"} 1\n`);
  t.match(text, `polycloud_ccm_lookup_failures_total{${about},reason="denied"} 1\n`);
  t.match(text, `polycloud_ccm_lookup_failures_total{${about},reason="throttled"} 1\n`);
  t.match(text, 'polycloud_ccm_cloud_requests_total{cloud="toy",code="403"} 1\n');
  t.match(text, 'polycloud_ccm_cloud_requests_total{cloud="toy",code="<error>"} 1\n');
  t.end();
});

await t.test('Nodes by state, the queue and the last success are measured', async (t) => {
  const { api, cloud, controller, clock, advance } = startHarness();
  const metrics = createMetrics();
  const { setLeading } = measureController(metrics, { nodes: controller, routes: undefined }, clock);
  api.put(knownNode({ name: 'ready' }));
  api.put(knownNode({ name: 'tired', ready: false }));
  api.put(knownNode({ name: 'excluded', labels: { 'polycloud.dev/cloud': 'false' } }));
  await advance(1_000);
  const successAtS = clock.wallMs() / 1_000;
  t.match(metrics.text(), /_nodes\{state="ready"\} 1\n.*"not-ready"\} 1\n.*"uninitialized"\} 0\n.*"unmanaged"\} 1\n/);
  t.match(metrics.text(), /polycloud_ccm_leading 0\n/);
  setLeading(true);
  t.match(metrics.text(), /polycloud_ccm_leading 1\n/);
  t.match(metrics.text(), /polycloud_ccm_leader_transitions_total 1\n/);
  t.match(metrics.text(), /polycloud_ccm_queued_nodes 0\n/);
  const [, lastAtS = ''] =
    /last_success_timestamp_seconds\{cloud="toy",scope="toy\/here"\} (\d\S*)/.exec(metrics.text()) ?? [];
  t.ok(Number(lastAtS) <= successAtS && Number(lastAtS) > successAtS - 2, lastAtS);

  cloud.lookUpOverride = async () => Promise.reject(new Failure('unavailable', 'it is down', { remedy: 'wait' }));
  api.put(newNode({ name: 'fresh' }));
  await advance(60_000);
  t.match(metrics.text(), `{cloud="toy",scope="toy/here"} ${lastAtS}\n`, 'the last success stays');
  t.match(metrics.text(), /"uninitialized"\} 1\n/);
  setLeading(false);
  t.match(metrics.text(), /polycloud_ccm_leading 0\n/);
});
