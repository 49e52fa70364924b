import t from 'tap';
import { systemClock } from '../../../lib/clock.ts';
import { createClient } from '../../../lib/kubernetes/client.ts';
import { nodes } from '../../../lib/kubernetes/resources.ts';
import { addApiRequestMetrics } from '../../../lib/metrics/api-request-metrics.ts';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { addProcessMetrics } from '../../../lib/metrics/process-metrics.ts';
import { daemonMetrics } from '../../../schemas/metrics/daemon.ts';
import { checkServed } from '../../support/declared-metrics.ts';
import { neverAborted } from '../http/loopback.ts';
import { generousLimits } from '../kubernetes/mutable-access.ts';
import { errorResponse, json, nodeA, nodeRef, setUpClient } from '../kubernetes/scripted-server.ts';

await t.test('exactly the declared metrics are registered', (t) => {
  const metrics = createMetrics();
  addProcessMetrics('polycloud-test', metrics);
  addApiRequestMetrics(metrics);
  checkServed(t, metrics.text(), [daemonMetrics]);
  t.end();
});

await t.test('requests to the API server are counted by code, and the time of watches is not', async (t) => {
  const metrics = createMetrics();
  const { access } = await setUpClient(t, json(nodeA), errorResponse(404, 'NotFound'), json({}));
  const observe = addApiRequestMetrics(metrics);
  const settings = { userAgent: 'test', limits: generousLimits, clock: systemClock, random: () => 0 };
  const client = createClient({ ...settings, access, observe });
  t.teardown(() => client.close());
  await client.get(nodes, nodeRef, neverAborted);
  await t.rejects(client.get(nodes, nodeRef, neverAborted));
  await client.watch(nodes, { resourceVersion: '1', timeoutSeconds: 1 }, neverAborted);
  access.update({ server: new URL('http://127.0.0.1:1') });
  await t.rejects(client.delete(nodes, { ...nodeRef, uid: '1' }, neverAborted));
  const text = metrics.text();
  t.match(text, 'rest_client_requests_total{code="200",method="GET"} 2\n');
  t.match(text, 'rest_client_requests_total{code="404",method="GET"} 1\n');
  t.match(text, 'rest_client_requests_total{code="<error>",method="DELETE"} 1\n');
  t.match(text, 'rest_client_request_duration_seconds_count{verb="GET"} 2\n');
  t.match(text, 'rest_client_request_duration_seconds_count{verb="DELETE"} 1\n');
});
