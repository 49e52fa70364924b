import type { Socket } from 'node:net';
import t from 'tap';
import { systemClock } from '../../../lib/clock.ts';
import { nodes } from '../../../lib/kubernetes/resources.ts';
import { Secret } from '../../../lib/secret.ts';
import { neverAborted, startRaw, startRawAnswer } from '../http/loopback.ts';
import { createTestClient, plainTarget, generousLimits, createMutableAccess } from './mutable-access.ts';
import { nodeList } from './node-object.ts';
import { setUpClient, json, marker, nodeA, nodeRef, errorResponse, waitFor } from './scripted-server.ts';

await t.test('429 with Retry-After: asked again then, and not before', async (t) => {
  const { client, clock, asked } = await setUpClient(
    t,
    errorResponse(429, 'TooManyRequests', { 'retry-after': '3' }),
    json(nodeA),
  );
  const answer = client.get(nodes, nodeRef, neverAborted);
  await waitFor(() => clock.sleepsMs.length === 1);
  await clock.advance(2_999);
  t.equal(asked.length, 1);
  await clock.advance(1);
  t.strictSame(await answer, nodeA);
  t.strictSame(clock.sleepsMs, [3_000]);
});

await t.test('429 for ever: five attempts, then the caller decides', async (t) => {
  const { client, clock, asked } = await setUpClient(t, errorResponse(429, 'TooManyRequests', { 'retry-after': '1' }));
  const answer = client.get(nodes, nodeRef, neverAborted).catch((error: unknown) => error);
  for (let sleeps = 1; sleeps <= 4; sleeps++) {
    await waitFor(() => clock.sleepsMs.length === sleeps);
    await clock.advance(1_000);
  }
  t.match(await answer, { name: 'KubernetesError', kind: 'throttled', retryAfterMs: 1_000 });
  t.equal(asked.length, 5);
});

await t.test('429 without a wait, or with a very long one, fails at once', async (t) => {
  for (const headers of [{}, { 'retry-after': '31' }]) {
    const { client, asked } = await setUpClient(t, errorResponse(429, 'TooManyRequests', headers));
    await t.rejects(client.get(nodes, nodeRef, neverAborted), { name: 'KubernetesError', kind: 'throttled' });
    t.equal(asked.length, 1);
  }
});

await t.test('an abort ends the wait', async (t) => {
  const { client, clock } = await setUpClient(t, errorResponse(429, 'TooManyRequests', { 'retry-after': '3' }));
  const controller = new AbortController();
  const answer = t.rejects(client.get(nodes, nodeRef, controller.signal), { message: 'enough' });
  await waitFor(() => clock.sleepsMs.length === 1);
  controller.abort(new Error('enough'));
  await answer;
});

await t.test('401: asked again if there is another token by now', async (t) => {
  const { client, access, tokens } = await setUpClient(
    t,
    (response, request) => {
      access.update({ token: new Secret('new') });
      errorResponse(401, 'Unauthorized')(response, request);
    },
    json(nodeA),
  );
  t.strictSame(await client.get(nodes, nodeRef, neverAborted), nodeA);
  t.strictSame(tokens, [`Bearer ${marker}`, 'Bearer new']);
  t.equal(access.invalidated[0]?.token?.reveal(), marker);
});

await t.test('401: not asked again as the same', async (t) => {
  const { client, asked } = await setUpClient(t, errorResponse(401, 'Unauthorized'));
  await t.rejects(client.get(nodes, nodeRef, neverAborted), { name: 'KubernetesError', kind: 'unauthorized' });
  t.equal(asked.length, 1);
});

for (const [status, reason] of [
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
] as const) {
  await t.test(`${status} is the caller's to act on`, async (t) => {
    const { client, asked } = await setUpClient(t, errorResponse(status, reason));
    await t.rejects(client.delete(nodes, { ...nodeRef, uid: '1' }, neverAborted), {
      name: 'KubernetesError',
      status,
      reason,
    });
    t.equal(asked.length, 1);
  });
}

await t.test('a redirect is not followed', async (t) => {
  const { client, asked } = await setUpClient(t, (response) =>
    response.writeHead(302, { location: '/elsewhere' }).end(),
  );
  await t.rejects(client.get(nodes, nodeRef, neverAborted), { name: 'KubernetesError', kind: 'invalid-response' });
  t.strictSame(asked, ['GET /api/v1/nodes/a']);
});

await t.test('no secret in any error, even if the answer quotes it', async (t) => {
  const body = { kind: 'Status', reason: 'Unauthorized', message: `who is ${marker}?` };
  const { client } = await setUpClient(t, json(body, 401));
  const error = await client.get(nodes, nodeRef, neverAborted).catch((thrown: unknown) => thrown);
  t.match(error, { message: /who is \*\*\*\?/ });
});

await t.test('an answer that breaks off is no answer', async (t) => {
  const text = JSON.stringify(nodeList('9', [nodeA]));
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  const bodies = [
    `${head}content-length: ${text.length}\r\n\r\n${text.slice(0, 20)}`,
    `${head}transfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`,
  ];
  for (const body of bodies) {
    const { port } = await startRawAnswer(t, (socket) => socket.end(body));
    const client = createTestClient(createMutableAccess(plainTarget(port, marker)), systemClock, generousLimits);
    await t.rejects(client.list(nodes, {}, neverAborted), {
      name: 'KubernetesError',
      kind: 'unavailable',
      message: /its answer was cut off/,
    });
  }
});

await t.test('a closed port, no HTTP, no response: each is unavailable with its reason', async (t) => {
  const mute = await startRaw(t, () => {});
  const foreign = await startRawAnswer(t, (socket) => socket.end('220 mail.example\r\n'));
  const gone = await startRaw(t, () => {});
  await gone.close();
  const cases = [
    { port: mute.port, message: /no answer within the time allowed \(0.1 s\)/ },
    { port: foreign.port, message: /its answer is not HTTP/ },
    { port: gone.port, message: /the connection was refused/ },
  ];
  for (const { port, message } of cases) {
    const limits = { connectMs: 5_000, totalMs: port === mute.port ? 100 : 5_000 };
    const client = createTestClient(createMutableAccess(plainTarget(port, marker)), systemClock, limits);
    const error = await client.get(nodes, nodeRef, neverAborted).catch((thrown: unknown) => thrown);
    t.match(error, { name: 'KubernetesError', kind: 'unavailable', message });
    t.match(error, { message: new RegExp(`^get nodes a: the API server 127.0.0.1:${port}: `) });
  }
});

await t.test('a kept connection that was cut just now: reads are asked again, writes are not', async (t) => {
  let answered = 0;
  const { port } = await startRaw(t, (socket: Socket) => {
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) {
        socket.resetAndDestroy();
        return;
      }
      answered += 1;
      const body = JSON.stringify(nodeA);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  const client = createTestClient(createMutableAccess(plainTarget(port, marker)), systemClock, generousLimits);
  t.teardown(() => client.close());
  await client.get(nodes, nodeRef, neverAborted);
  await client.get(nodes, nodeRef, neverAborted);
  t.equal(answered, 2);
  const patch = { type: 'merge', body: {} } as const;
  await t.rejects(client.patch(nodes, nodeRef, patch, neverAborted), { name: 'KubernetesError', kind: 'unavailable' });
});
