import t from 'tap';
import type { Test } from 'tap';
import { KubernetesError } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { KubernetesErrorKind } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { ListPage } from '../../../../lib/kubernetes/parse-response.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import { watchList } from '../../../../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../../../../lib/kubernetes/watch/watch-list.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { nodeObject } from '../node-object.ts';
import { createScriptedClient } from './scripted-client.ts';
import type { ScriptedConnection, ScriptedClient } from './scripted-client.ts';

const times = { shortestWatchSeconds: 300, longestSilenceMs: 90_000, firstWaitMs: 1_000, longestWaitMs: 30_000 };
const wallAtStartMs = Date.parse('2026-11-18T12:00:00Z');

interface WatchSetup {
  readonly client: ScriptedClient;
  readonly clock: FakeClock;
  readonly list: WatchedList<Node>;
  readonly controller: AbortController;
  /** In order: `added a/1@7`, `listed`, `trouble gone`. */
  readonly told: string[];
  /** The connection that was made last. */
  connection(): ScriptedConnection;
}

function setUpWatch(t: Test, lists: ScriptedClient['lists'], changed?: () => void): WatchSetup {
  const client = createScriptedClient();
  client.lists.push(...lists);
  const clock = createFakeClock(wallAtStartMs);
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const told: string[] = [];
  const list = watchList(
    { client, resource: nodes, selection: { labelSelector: 'x' }, transform: (node: Node) => node, times },
    {
      changed: ({ kind, object: { metadata } }) => {
        told.push(`${kind} ${metadata.name}/${metadata.uid}@${metadata.resourceVersion}`);
        changed?.();
      },
      listed: () => told.push('listed'),
      failed: ({ kind }) => told.push(`trouble ${kind}`),
    },
    { signal: controller.signal, clock, random: () => 0 },
  );
  const connection = (): ScriptedConnection => {
    const last = client.connections.at(-1);
    if (last === undefined) throw new Error('nobody has connected');
    return last;
  };
  return { client, clock, list, controller, told, connection };
}

function page(version: string, ...items: readonly Node[]): ListPage<Node> {
  return { items, resourceVersion: version };
}

const node = (name: string, uid: string, version: string): Node => nodeObject({ name, uid, version });

function failure(kind: KubernetesErrorKind, retryAfterMs?: number): KubernetesError {
  return new KubernetesError(kind, kind, { remedy: 'none', ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

await t.test('lists, then watches from there', async (t) => {
  const { clock, told, list, client, connection } = setUpWatch(t, [
    [page('5', node('a', '1', '3')), page('5', node('b', '2', '4'))],
  ]);
  t.equal(list.isSynced(), false);
  t.equal(list.lastContactAtMs(), undefined);
  await clock.advance(0);
  t.equal(list.isSynced(), true);
  t.strictSame(told, ['added a/1@3', 'added b/2@4', 'listed']);
  t.match(client.watchedFrom, [{ resourceVersion: '5', timeoutSeconds: 300, labelSelector: 'x' }]);
  await clock.advance(1_000);
  connection().send(
    { type: 'ADDED', object: node('c', '3', '6') },
    { type: 'MODIFIED', object: node('a', '1', '7') },
    { type: 'DELETED', object: node('b', '2', '8') },
  );
  await clock.advance(0);
  t.strictSame(told.slice(3), ['added c/3@6', 'changed a/1@7', 'removed b/2@8']);
  t.strictSame([...list.objects.keys()], ['a', 'c']);
  t.equal(list.lastContactAtMs(), 1_000);
});

await t.test('an orderly end after a long while is followed at once, from the last event or bookmark', async (t) => {
  const { clock, told, client, connection } = setUpWatch(t, [[page('5')]]);
  await clock.advance(60_000);
  connection().send({ type: 'ADDED', object: node('a', '1', '6') });
  await clock.advance(1);
  connection().end();
  await clock.advance(0);
  t.equal(client.watchedFrom[1]?.resourceVersion, '6');
  await clock.advance(60_000);
  connection().send({ type: 'BOOKMARK', resourceVersion: '9' });
  await clock.advance(1);
  connection().end();
  await clock.advance(0);
  t.equal(client.watchedFrom[2]?.resourceVersion, '9');
  t.equal(client.listed(), 1);
  t.strictSame(told, ['listed', 'added a/1@6']);
});

await t.test('ends that come at once are met with longer and longer waits', async (t) => {
  const { clock, client, connection } = setUpWatch(t, [[page('5')]]);
  await clock.advance(0);
  for (const waitMs of [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
    const before = client.connections.length;
    connection().end();
    await clock.advance(waitMs - 1);
    t.equal(client.connections.length, before, `nobody asks before ${waitMs} ms`);
    await clock.advance(1);
    t.equal(client.connections.length, before + 1);
  }
});

await t.test('after a connection that lasted, the waits begin anew', async (t) => {
  const { clock, client, connection } = setUpWatch(t, [[page('5')]]);
  await clock.advance(0);
  for (const waitMs of [500, 1_000, 2_000]) {
    connection().end();
    await clock.advance(waitMs);
  }
  t.equal(client.connections.length, 4);
  await clock.advance(30_000);
  connection().fail(failure('unavailable'));
  await clock.advance(499);
  t.equal(client.connections.length, 4);
  await clock.advance(1);
  t.equal(client.connections.length, 5);
});

await t.test('the API server restarts: it is asked again until it is there, from where we were', async (t) => {
  const { clock, told, client, connection } = setUpWatch(t, [[page('5')]]);
  await clock.advance(60_000);
  client.watchErrors.push(...Array.from({ length: 3 }, () => failure('unavailable')));
  connection().fail(failure('unavailable'));
  await clock.advance(0);
  await clock.advance(500 + 1_000 + 2_000 + 4_000);
  t.equal(client.connections.length, 2);
  t.strictSame(
    client.watchedFrom.map(({ resourceVersion }) => resourceVersion),
    ['5', '5', '5', '5', '5'],
  );
  t.strictSame(told, ['listed', ...Array.from({ length: 4 }, () => 'trouble unavailable')]);
  t.equal(client.listed(), 1);
});

for (const kind of ['gone', 'invalid-response', 'invalid'] as const) {
  await t.test(`${kind} in the stream: it lists again and delivers the missed changes`, async (t) => {
    const { clock, told, list, client, connection } = setUpWatch(t, [
      [page('5', node('a', '1', '1'), node('b', '2', '1'), node('c', '3', '1'), node('d', '4', '1'))],
      [page('50', node('a', '1', '1'), node('b', '2', '40'), node('c', '33', '41'), node('e', '5', '42'))],
    ]);
    await clock.advance(60_000);
    connection().fail(failure(kind));
    await clock.advance(1_000);
    t.strictSame(told.slice(5), [
      `trouble ${kind}`,
      'changed b/2@40',
      'removed c/3@1',
      'added c/33@41',
      'added e/5@42',
      'removed d/4@1',
      'listed',
    ]);
    t.strictSame([...list.objects.keys()].toSorted(), ['a', 'b', 'c', 'e']);
    t.equal(client.watchedFrom.at(-1)?.resourceVersion, '50');
  });
}

await t.test('a watch that is refused as gone leads to a list too', async (t) => {
  const { clock, client, told } = setUpWatch(t, [[page('5')], [page('9')]]);
  client.watchErrors.push(failure('gone'));
  await clock.advance(1_000);
  t.strictSame(told, ['listed', 'trouble gone', 'listed']);
  t.equal(client.watchedFrom.at(-1)?.resourceVersion, '9');
});

await t.test('an incomplete list removes no object', async (t) => {
  const { clock, told, list, connection } = setUpWatch(t, [
    [page('5', node('a', '1', '1'), node('b', '2', '1'))],
    [page('9', node('a', '1', '8')), failure('gone')],
    [page('10', node('a', '1', '8'), node('b', '2', '1'))],
  ]);
  await clock.advance(60_000);
  connection().fail(failure('gone'));
  await clock.advance(500);
  t.strictSame([...list.objects.keys()], ['a', 'b']);
  await clock.advance(1_000);
  t.strictSame(told.slice(3), ['trouble gone', 'changed a/1@8', 'trouble gone', 'listed']);
});

await t.test('it is not synced before all pages of the first list were read', async (t) => {
  const { clock, list } = setUpWatch(t, [[page('5', node('a', '1', '1')), failure('unavailable')], [page('6')]]);
  await clock.advance(0);
  t.equal(list.isSynced(), false);
  await clock.advance(500);
  t.equal(list.isSynced(), true);
  t.equal(list.objects.size, 0, 'and one that went meanwhile is not kept');
});

await t.test(
  'silence: the connection is given up after the limit, not before, and bookmarks are no silence',
  async (t) => {
    const { clock, told, client, connection } = setUpWatch(t, [[page('5')]]);
    await clock.advance(60_000);
    connection().send({ type: 'BOOKMARK', resourceVersion: '6' });
    await clock.advance(89_999);
    t.strictSame(told, ['listed']);
    await clock.advance(1);
    t.strictSame(told, ['listed', 'trouble unavailable']);
    await clock.advance(500);
    t.equal(client.watchedFrom[1]?.resourceVersion, '6');
    t.equal(client.connections.length, 2);
  },
);

await t.test('a wait that the API server asks for is kept', async (t) => {
  const { clock, client } = setUpWatch(t, [[page('5')]]);
  client.watchErrors.push(failure('throttled', 7_000));
  await clock.advance(6_999);
  t.equal(client.connections.length, 0);
  await clock.advance(1);
  t.equal(client.connections.length, 1);
});

for (const kind of ['forbidden', 'unauthorized', 'not-found'] as const) {
  await t.test(`${kind}: retries, since an operator may correct it`, async (t) => {
    const { clock, told, list } = setUpWatch(t, [[failure(kind)], [failure(kind)], [page('5')]]);
    await clock.advance(500 + 1_000);
    t.strictSame(told, [`trouble ${kind}`, `trouble ${kind}`, 'listed']);
    t.equal(list.isSynced(), true);
  });
}

await t.test('the signal ends it, wherever it is', async (t) => {
  for (const beforeMs of [0, 60_000]) {
    const { clock, list, controller, client, told } = setUpWatch(t, [[page('5')]]);
    client.watchErrors.push(...(beforeMs === 0 ? [failure('unavailable')] : []));
    await clock.advance(beforeMs);
    const before = [...told];
    controller.abort(new Error('enough'));
    await list.ended;
    t.strictSame(told, before, 'and that is no trouble');
  }
});

await t.test('a handler that throws ends it, loudly', async (t) => {
  const { list, clock } = setUpWatch(t, [[page('5', node('a', '1', '1'))]], () => {
    throw new TypeError('a mistake of ours');
  });
  const ended = t.rejects(list.ended, { name: 'TypeError', message: 'a mistake of ours' });
  await clock.advance(0);
  await ended;
});

await t.test('what is kept may be less than what was sent', async (t) => {
  const client = createScriptedClient();
  client.lists.push([page('5', node('a', '1', '1'))]);
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const clock = createFakeClock(wallAtStartMs);
  const list = watchList(
    { client, resource: nodes, selection: {}, transform: ({ metadata }: Node) => ({ metadata }), times },
    { changed: () => {}, listed: () => {}, failed: () => {} },
    { signal: controller.signal, clock, random: () => 0 },
  );
  await clock.advance(0);
  t.strictSame(Object.keys(list.objects.get('a') ?? {}), ['metadata']);
});
