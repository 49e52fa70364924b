import type { IncomingMessage } from 'node:http';
import t from 'tap';
import { systemClock } from '../../../lib/clock.ts';
import { nodes } from '../../../lib/kubernetes/resources.ts';
import { patchNodeStatus } from '../../../lib/node/read-and-patch.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { neverAborted, startHttp, startRaw } from '../http/loopback.ts';
import { createTestClient, plainTarget, generousLimits, createMutableAccess } from './mutable-access.ts';
import { nodeList, nodeObject } from './node-object.ts';
import { setUpClient, json, marker, nodeA, nodeRef, errorResponse } from './scripted-server.ts';

await t.test('what is sent', async (t) => {
  let headers: IncomingMessage['headers'] = {};
  const { client, asked } = await setUpClient(t, (response, request) => {
    ({ headers } = request);
    json(nodeA)(response, request);
  });
  t.strictSame(await client.get(nodes, nodeRef, neverAborted), nodeA);
  t.strictSame(asked, ['GET /api/v1/nodes/a']);
  t.match(headers, { accept: 'application/json', 'user-agent': 'polycloud-test', authorization: `Bearer ${marker}` });
  await client.patch(nodes, nodeRef, { type: 'merge', body: { spec: { providerID: 'größer' } } }, neverAborted);
  t.match(headers, { 'content-type': 'application/merge-patch+json', 'content-length': '34' });
});

await t.test('a patch of the status of a Node is answered with its metadata alone', async (t) => {
  let headers: IncomingMessage['headers'] = {};
  const metadata = { name: 'a', uid: '1', resourceVersion: '8', creationTimestamp: '2026-01-02T00:00:00Z' };
  const { client } = await setUpClient(t, (response, request) => {
    ({ headers } = request);
    json({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })(response, request);
  });
  const node: Node = {
    metadata: { ...metadata, resourceVersion: '7' },
    spec: { providerID: 'toy://here/a' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const addresses = [{ type: 'InternalIP', address: '10.0.0.7' }] as const;
  const patch = { metadata: { resourceVersion: '7' }, status: { addresses } };
  const patched = await patchNodeStatus(client, node, patch, neverAborted);
  t.equal(headers.accept, 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  t.strictSame(patched, { ...node, metadata, status: { ...node.status, addresses } });
});

await t.test('an address below a path', async (t) => {
  const { client, access, asked } = await setUpClient(t, json(nodeA));
  access.update({ server: new URL('/k8s/clusters/c-1/', (await access.current()).server) });
  await client.get(nodes, nodeRef, neverAborted);
  t.strictSame(asked, ['GET /k8s/clusters/c-1/api/v1/nodes/a']);
});

await t.test('pages are read to the end, and begun anew when their version has gone', async (t) => {
  const nodeB = nodeObject({ name: 'b', uid: '2', version: '8' });
  const { client, asked } = await setUpClient(
    t,
    json(nodeList('9', [nodeA], 'next/1')),
    errorResponse(410, 'Expired'),
    json(nodeList('10', [nodeA], 'next/2')),
    json(nodeList('10', [nodeB])),
  );
  const list = await client.list(nodes, { labelSelector: 'a=b' }, neverAborted);
  t.strictSame(list, { items: [nodeA, nodeB], resourceVersion: '10' });
  t.strictSame(asked, [
    'GET /api/v1/nodes?labelSelector=a%3Db&limit=100',
    'GET /api/v1/nodes?labelSelector=a%3Db&limit=100&continue=next%2F1',
    'GET /api/v1/nodes?labelSelector=a%3Db&limit=100',
    'GET /api/v1/nodes?labelSelector=a%3Db&limit=100&continue=next%2F2',
  ]);
});

for (const [what, tokens] of [
  ['the same page', ['one', 'one']],
  ['two pages in turn', ['one', 'two', 'one']],
] as const) {
  await t.test(`a list that repeats ${what} ends with an error`, async (t) => {
    const pages = tokens.map((token) => json(nodeList('9', [nodeA], token)));
    const { client, asked } = await setUpClient(t, ...pages);
    await t.rejects(client.list(nodes, {}, neverAborted), { kind: 'invalid-response', message: /repeats a page/ });
    t.equal(asked.length, tokens.length);
  });
}

const invalidLists: Readonly<Record<string, unknown>> = {
  'an empty object': {},
  'nothing in it': { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' } },
  'another kind': { kind: 'PodList', metadata: { resourceVersion: '1' }, items: [] },
  'no version': { kind: 'NodeList', metadata: {}, items: [] },
  'items that are none': { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: {} },
  'an item without a uid': {
    kind: 'NodeList',
    metadata: { resourceVersion: '1' },
    items: [{ metadata: { name: 'a', resourceVersion: '1' } }],
  },
  'a list of lists': [[]],
  null: null,
};
for (const [what, body] of Object.entries(invalidLists)) {
  await t.test(`not taken for a list: ${what}`, async (t) => {
    const { client } = await setUpClient(t, json(body));
    await t.rejects(client.list(nodes, {}, neverAborted), { name: 'KubernetesError', kind: 'invalid-response' });
  });
}

await t.test('a list that was never filled is empty', async (t) => {
  const { client } = await setUpClient(t, json({ kind: 'NodeList', metadata: { resourceVersion: '1' }, items: null }));
  t.strictSame(await client.list(nodes, {}, neverAborted), { items: [], resourceVersion: '1' });
});

await t.test('the next request carries the new token', async (t) => {
  const { client, access, tokens } = await setUpClient(t, json(nodeA));
  await client.get(nodes, nodeRef, neverAborted);
  access.update({ token: new Secret('new') });
  await client.get(nodes, nodeRef, neverAborted);
  t.strictSame(tokens, [`Bearer ${marker}`, 'Bearer new']);
});

await t.test('fifty writes at once have fifty connections, which are kept', async (t) => {
  const waiting: (() => void)[] = [];
  const server = await startHttp(t, (_, response) => {
    waiting.push(() => json(nodeA)(response, _));
    if (waiting.length === 50) for (const answer of waiting.splice(0)) answer();
  });
  const client = createTestClient(createMutableAccess(plainTarget(server.port, marker)), systemClock, generousLimits);
  t.teardown(() => client.close());
  const patch = { type: 'merge', body: {} } as const;
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 50 }, () => client.patch(nodes, nodeRef, patch, neverAborted)));
  }
  t.equal(server.connections(), 50);
});

await t.test('an abort ends a request at once', async (t) => {
  const { port } = await startRaw(t, () => {});
  const client = createTestClient(createMutableAccess(plainTarget(port, marker)), systemClock, generousLimits);
  const controller = new AbortController();
  const answer = t.rejects(client.get(nodes, nodeRef, controller.signal), { message: 'enough' });
  controller.abort(new Error('enough'));
  await answer;
  await t.rejects(client.get(nodes, nodeRef, controller.signal), { message: 'enough' });
});
