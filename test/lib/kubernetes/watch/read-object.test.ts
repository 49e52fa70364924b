import t from 'tap';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import { watchList } from '../../../../lib/kubernetes/watch/watch-list.ts';
import { trimNode } from '../../../../lib/node/trim-node.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { nodeObject } from '../node-object.ts';
import { createScriptedClient } from './scripted-client.ts';

const times = { shortestWatchSeconds: 300, longestSilenceMs: 90_000, firstWaitMs: 1_000, longestWaitMs: 30_000 };
const wallAtStartMs = Date.parse('2026-11-18T12:00:00Z');
const node = (name: string, uid: string, version: string): Node => nodeObject({ name, uid, version });

await t.test('an object of another shape is skipped and named, and the others are watched', async (t) => {
  const odd = (name: string, uid: string, version: string): Node =>
    ({ ...node(name, uid, version), spec: { taints: 'none' } }) as unknown as Node;
  const client = createScriptedClient();
  client.lists.push([{ items: [node('a', '1', '1'), odd('b', '2', '2'), node('c', '3', '3')], resourceVersion: '5' }]);
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const clock = createFakeClock(wallAtStartMs);
  const told: string[] = [];
  const list = watchList(
    { client, resource: nodes, selection: {}, transform: trimNode, times },
    {
      changed: ({ kind, object: { metadata } }) =>
        void told.push(`${kind} ${metadata.name}@${metadata.resourceVersion}`),
      listed: () => void told.push('listed'),
      failed: ({ message }) => void told.push(message),
    },
    { signal: controller.signal, clock, random: () => 0 },
  );
  await clock.advance(0);
  t.strictSame(told, ['added a@1', 'Node b is skipped: spec.taints is not a list of taints', 'added c@3', 'listed']);

  client.connections[0]?.send({ type: 'MODIFIED', object: odd('a', '1', '6') });
  client.connections[0]?.send({ type: 'MODIFIED', object: node('c', '3', '7') });
  await clock.advance(0);
  t.strictSame(told.slice(4), ['Node a is skipped: spec.taints is not a list of taints', 'removed a@1', 'changed c@7']);
  client.connections[0]?.send({ type: 'MODIFIED', object: node('a', '1', '8') });
  await clock.advance(0);
  t.equal(told.at(-1), 'added a@8');
  t.equal(list.isSynced(), true);
});
