import { auth, compute } from '@googleapis/compute';
import type { compute_v1 } from '@googleapis/compute';
import t from 'tap';
import { gcp } from './cloud.ts';
import { computeFleetOf } from './compute-instance.ts';
import { runOnLoopback } from '../loopback.ts';

const lab = await runOnLoopback(gcp, { plain: Object.keys(gcp.services) });
t.teardown(lab.stop);
process.env['GCE_METADATA_HOST'] = lab.url('metadata').replace('http://', '');

const scopes = ['https://www.googleapis.com/auth/compute.readonly'];
const project = 'lab-project';
const zones = ['us-central1-a', 'us-central1-b'];
const fleet = computeFleetOf({ count: 5, project, zones, number: 0 });
const [first, second] = Object.values(fleet);
if (!first || !second) throw new Error('a fleet of five has five instances');
// A reset forgets the tokens that were issued.
let instances = openClient();
t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ computeInstances: fleet });
  instances = openClient();
});

const own = { project, zone: first.zone, instance: first.name };

await t.test('one instance', async (t) => {
  const { data } = await instances.get(own);
  t.match(data, { id: first.id, name: first.name, status: 'RUNNING' });
  t.match(data.networkInterfaces, [{ networkIP: first.interfaces[0]?.ip }]);
});

await t.test('all instances, in pages', async (t) => {
  const pages: compute_v1.Schema$InstanceAggregatedList[] = [];
  for (let token: string | null | undefined; pages.length === 0 || token; token = pages.at(-1)?.nextPageToken) {
    pages.push((await instances.aggregatedList({ project, maxResults: 2, ...(token && { pageToken: token }) })).data);
  }
  t.strictSame(pages.map(namesIn), [['node-0', 'node-1'], ['node-2', 'node-3'], ['node-4']]);
  t.strictSame(
    pages.flatMap(({ unreachables }) => unreachables ?? []),
    [],
  );
});

await t.test('some fields of all instances', async (t) => {
  const fields = 'nextPageToken,unreachables,items/*/instances(name,status)';
  const { data } = await instances.aggregatedList({ project, fields });
  t.strictSame(data.items?.[`zones/${second.zone}`]?.instances?.[0], { name: second.name, status: 'RUNNING' });
});

await t.test('a zone that cannot be reached', async (t) => {
  await lab.update({ compute: { unreachableZones: [second.zone] } });
  const { data } = await instances.aggregatedList({ project, returnPartialSuccess: true });
  t.strictSame(data.unreachables, [`projects/${project}/zones/${second.zone}`]);
  t.strictSame(namesIn(data), ['node-0', 'node-2', 'node-4']);
  await t.rejects(instances.aggregatedList({ project }, { retry: false }), { status: 503, message: 'Backend Error' });
});

await t.test('errors', async (t) => {
  const notFound = `The resource 'projects/${project}/zones/${first.zone}/instances/nothing' was not found`;
  await t.rejects(instances.get({ ...own, instance: 'nothing' }), { status: 404, message: notFound });
  await t.rejects(instances.get({ ...own, zone: 'nowhere' }), { status: 400, message: /Unknown zone/ });
  await lab.addFault({ service: 'compute', kind: 'throttle', count: 1 });
  await t.rejects(instances.get(own), { status: 403, message: /^Quota exceeded/ });
});

await t.test('too many requests: it sends the request again', async (t) => {
  await lab.addFault({ service: 'compute', kind: 'throttle', status: 429, count: 1 });
  t.match((await instances.get(own)).data, { id: first.id });
  t.equal((await lab.requests()).filter(({ service }) => service === 'compute').length, 2);
});

function namesIn({ items }: compute_v1.Schema$InstanceAggregatedList): readonly string[] {
  return Object.values(items ?? {})
    .flatMap(({ instances: listed }) => (listed ?? []).map(({ name }) => name ?? ''))
    .toSorted();
}

/** Google's client, with the token of the lab's metadata server. */
function openClient(): compute_v1.Resource$Instances {
  const rootUrl = `${lab.url('compute')}/`;
  return compute({ version: 'v1', auth: new auth.Compute({ scopes }), rootUrl }).instances;
}
