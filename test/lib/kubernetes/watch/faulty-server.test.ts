import type { IncomingMessage, ServerResponse } from 'node:http';
import t from 'tap';
import { systemClock } from '../../../../lib/clock.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import { watchList } from '../../../../lib/kubernetes/watch/watch-list.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { startHttp } from '../../http/loopback.ts';
import { createTestClient, plainTarget, generousLimits, createMutableAccess } from '../mutable-access.ts';
import { nodeList, nodeObject } from '../node-object.ts';

const times = { shortestWatchSeconds: 300, longestSilenceMs: 60_000, firstWaitMs: 1, longestWaitMs: 10 };
const node = (name: string, uid: string, version: string): Node => nodeObject({ name, uid, version });

interface Step {
  /** What must be asked for: a list, or a watch from a version. */
  readonly expectedRequest: string;
  answer(response: ServerResponse): void;
}

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const gone = { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' };

/** One evening with a bad API server, in its order. */
const steps: readonly Step[] = [
  { expectedRequest: 'list', answer: (response) => response.writeHead(500).end('<html>') },
  { expectedRequest: 'list', answer: (response) => response.end('{"kind":"NodeList"') },
  { expectedRequest: 'list', answer: (response) => response.writeHead(429, { 'retry-after': '0' }).end() },
  {
    expectedRequest: 'list',
    answer: (response) => response.end(JSON.stringify(nodeList('5', [node('a', '1', '1')], 'more'))),
  },
  { expectedRequest: 'list more', answer: (response) => response.writeHead(410).end(JSON.stringify(gone)) },
  { expectedRequest: 'list', answer: (response) => response.end(JSON.stringify(nodeList('6', [node('a', '1', '1')]))) },
  {
    expectedRequest: 'watch 6',
    answer: (response) => response.end(`${line('ADDED', node('b', '2', '7'))}{"type":"ADD`),
  },
  {
    expectedRequest: 'watch 7',
    answer: (response) => response.end(line('BOOKMARK', { metadata: { resourceVersion: '9' } })),
  },
  { expectedRequest: 'watch 9', answer: (response) => response.destroy() },
  { expectedRequest: 'watch 9', answer: (response) => response.writeHead(503).end() },
  {
    expectedRequest: 'watch 9',
    answer: (response) => {
      response.write(line('MODIFIED', node('b', '2', '10')), () => response.destroy());
    },
  },
  {
    expectedRequest: 'watch 10',
    answer: (response) => response.end(`${line('DELETED', node('a', '1', '11'))}garbage\n`),
  },
  {
    expectedRequest: 'list',
    answer: (response) => response.end(JSON.stringify(nodeList('12', [node('b', '2', '10')]))),
  },
  { expectedRequest: 'watch 12', answer: (response) => response.end(line('ERROR', gone)) },
  {
    expectedRequest: 'list',
    answer: (response) => response.end(JSON.stringify(nodeList('20', [node('b', '22', '15')]))),
  },
  { expectedRequest: 'watch 20', answer: (response) => response.write(line('ADDED', node('z', '9', '21'))) },
];

await t.test('with any fault of the API server, each change is delivered once and none is missed', async (t) => {
  const asked: string[] = [];
  const server = await startHttp(t, (request, response) => {
    asked.push(nameOf(request));
    steps[asked.length - 1]?.answer(response);
  });
  const client = createTestClient(createMutableAccess(plainTarget(server.port, 'x')), systemClock, generousLimits);
  const controller = new AbortController();
  const told: string[] = [];
  const list = watchList(
    { client, resource: nodes, selection: {}, transform: (each: Node) => each, times },
    {
      changed: ({ kind, object: { metadata } }) => told.push(`${kind} ${metadata.name}/${metadata.uid}`),
      listed: () => told.push('listed'),
      failed: () => {},
    },
    { signal: controller.signal, clock: systemClock, random: () => 0 },
  );
  const patience = { what: 'the last step', withinMs: 20_000, everyMs: 10 };
  await waitUntil(patience, async () => list.objects.has('z') || undefined).catch(() => undefined);
  controller.abort();
  await list.ended;
  client.close();
  t.strictSame(
    asked,
    steps.map((step) => step.expectedRequest),
  );
  t.strictSame(told, [
    'added a/1',
    'listed',
    'added b/2',
    'changed b/2',
    'removed a/1',
    'listed',
    'removed b/2',
    'added b/22',
    'listed',
    'added z/9',
  ]);
});

function nameOf({ url }: IncomingMessage): string {
  const { searchParams } = new URL(url ?? '', 'http://x');
  if (searchParams.has('watch')) return `watch ${searchParams.get('resourceVersion')}`;
  return ['list', ...searchParams.getAll('continue')].join(' ');
}
