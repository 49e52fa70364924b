import t from 'tap';
import {
  createRequest,
  getRequest,
  patchRequest,
  deleteRequest,
  evictRequest,
  watchRequest,
} from '../../../lib/kubernetes/requests.ts';
import { configMaps, events, leases, nodes, pods, tokenReviews } from '../../../lib/kubernetes/resources.ts';

await t.test('paths', (t) => {
  const placed = { namespace: 'kube-system', name: 'a' };
  t.equal(getRequest(nodes, { name: 'worker-1' }).path, '/api/v1/nodes/worker-1');
  t.equal(getRequest(configMaps, placed).path, '/api/v1/namespaces/kube-system/configmaps/a');
  t.equal(getRequest(leases, placed).path, '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a');
  t.equal(getRequest(nodes, { name: '../pods' }).path, '/api/v1/nodes/..%2Fpods', 'a name cannot lead elsewhere');
  t.equal(createRequest(tokenReviews, { spec: { token: 'x' } }).path, '/apis/authentication.k8s.io/v1/tokenreviews');
  t.end();
});

await t.test('a watch asks for bookmarks, and for an end', (t) => {
  const from = { resourceVersion: '7', timeoutSeconds: 300, fieldSelector: 'spec.nodeName=a b' };
  const { pathname, searchParams } = new URL(watchRequest(pods, from).path, 'https://x');
  t.equal(pathname, '/api/v1/pods');
  t.strictSame(Object.fromEntries(searchParams), {
    fieldSelector: 'spec.nodeName=a b',
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '7',
    timeoutSeconds: '300',
  });
  t.end();
});

await t.test('a created object has its apiVersion and kind', (t) => {
  const request = createRequest(tokenReviews, { spec: { token: 'x' } });
  t.strictSame(JSON.parse(request.body ?? ''), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'x' },
  });
  const metadata = { namespace: 'default', generateName: 'a.' };
  const involvedObject = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: '1' };
  const event = createRequest(events, {
    metadata,
    involvedObject,
    reason: 'Seen',
    message: 'it was seen',
    type: 'Normal',
    count: 1,
    firstTimestamp: '2026-11-18T12:00:00Z',
    lastTimestamp: '2026-11-18T12:00:00Z',
    source: { component: 'test' },
    reportingComponent: 'test',
    reportingInstance: 'test',
  });
  t.equal(event.path, '/api/v1/namespaces/default/events');
  t.end();
});

await t.test('a patch carries its preconditions', (t) => {
  const at = { name: 'a', uid: 'u', resourceVersion: '7' };
  const merge = patchRequest(nodes, { ...at, subresource: 'status' }, { type: 'merge', body: { status: { x: 1 } } });
  t.match(merge, { path: '/api/v1/nodes/a/status', contentType: 'application/merge-patch+json', method: 'PATCH' });
  t.strictSame(JSON.parse(merge.body ?? ''), { status: { x: 1 }, metadata: { uid: 'u', resourceVersion: '7' } });
  const strategic = patchRequest(nodes, at, { type: 'strategic-merge', body: { metadata: { labels: { a: 'b' } } } });
  t.equal(strategic.contentType, 'application/strategic-merge-patch+json');
  t.strictSame(JSON.parse(strategic.body ?? ''), { metadata: { labels: { a: 'b' }, uid: 'u', resourceVersion: '7' } });
  const json = patchRequest(nodes, at, { type: 'json', body: [{ op: 'remove', path: '/spec/taints/0' }] });
  t.equal(json.contentType, 'application/json-patch+json');
  t.strictSame(JSON.parse(json.body ?? ''), [
    { op: 'replace', path: '/metadata/uid', value: 'u' },
    { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
    { op: 'remove', path: '/spec/taints/0' },
  ]);
  t.end();
});

await t.test('a patch without preconditions is sent unchanged', (t) => {
  const { body } = patchRequest(nodes, { name: 'a' }, { type: 'merge', body: { spec: { providerID: 'x' } } });
  t.equal(body, '{"spec":{"providerID":"x"}}');
  t.end();
});

await t.test('a removal names the one that is meant', (t) => {
  const { method, path, body } = deleteRequest(nodes, { name: 'a', uid: 'u' });
  t.strictSame([method, path], ['DELETE', '/api/v1/nodes/a']);
  t.strictSame(JSON.parse(body ?? ''), { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } });
  t.end();
});

await t.test('an eviction is of one pod, and gives it the grace that is asked for', (t) => {
  const ref = { namespace: 'shop', name: 'web-1', uid: 'u' };
  const { method, path, body } = evictRequest({ ...ref, gracePeriodSeconds: 20 });
  t.equal(`${method} ${path}`, 'POST /api/v1/namespaces/shop/pods/web-1/eviction');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-1', namespace: 'shop' } };
  const deleteOptions = { kind: 'DeleteOptions', preconditions: { uid: 'u' } };
  t.strictSame(JSON.parse(body ?? ''), { ...eviction, deleteOptions: { ...deleteOptions, gracePeriodSeconds: 20 } });
  t.strictSame(JSON.parse(evictRequest(ref).body ?? ''), { ...eviction, deleteOptions }, "or the pod's own");
  t.end();
});
