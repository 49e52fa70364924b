import { once } from 'node:events';
import t from 'tap';
import { nodes } from '../../../lib/kubernetes/resources.ts';
import { neverAborted } from '../http/loopback.ts';
import { nodeObject } from './node-object.ts';
import { collect, setUpClient, nodeA } from './scripted-server.ts';

await t.test('a watch: events as they come, cut anywhere', async (t) => {
  const nodeB = nodeObject({ name: 'b — größe', uid: '2', version: '8' });
  const bytes = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: nodeB })}\n`.repeat(2));
  const { client } = await setUpClient(t, (response) => {
    response.writeHead(200);
    for (const byte of bytes) response.write(Buffer.of(byte));
    response.end('{"type":"ADD');
  });
  const found: unknown[] = [];
  const from = { resourceVersion: '7', timeoutSeconds: 300 };
  for await (const event of await client.watch(nodes, from, neverAborted)) found.push(event);
  t.strictSame(found, [
    { type: 'ADDED', object: nodeB },
    { type: 'ADDED', object: nodeB },
  ]);
});

await t.test('a watch that is left closes its connection', async (t) => {
  const closed = Promise.withResolvers<undefined>();
  const { client } = await setUpClient(t, (response) => {
    once(response, 'close').then(() => closed.resolve(undefined), closed.reject);
    response.write(`${JSON.stringify({ type: 'ADDED', object: nodeA })}\n`);
  });
  for await (const _ of await client.watch(nodes, { resourceVersion: '7', timeoutSeconds: 300 }, neverAborted)) break;
  await closed.promise;
  t.pass();
});

await t.test('a watch that is aborted ends with the reason', async (t) => {
  const { client } = await setUpClient(t, (response) => response.writeHead(200).flushHeaders());
  const controller = new AbortController();
  const events = await client.watch(nodes, { resourceVersion: '7', timeoutSeconds: 300 }, controller.signal);
  const reading = t.rejects(collect(events), { message: 'enough' });
  controller.abort(new Error('enough'));
  await reading;
});

await t.test('a watch whose connection breaks is unavailable', async (t) => {
  const { client } = await setUpClient(t, (response) => {
    response.write(`${JSON.stringify({ type: 'ADDED', object: nodeA })}\n`, () => response.destroy());
  });
  const events = await client.watch(nodes, { resourceVersion: '7', timeoutSeconds: 300 }, neverAborted);
  await t.rejects(collect(events), {
    name: 'KubernetesError',
    kind: 'unavailable',
    message: 'watch nodes: the connection broke off',
  });
});
