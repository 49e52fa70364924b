import t from 'tap';
import { parseWatchEvent } from '../../../../lib/kubernetes/watch/watch-event.ts';
import { nodeObject } from '../node-object.ts';

await t.test('changes', (t) => {
  const object = nodeObject({ name: 'a', uid: '1', version: '7' });
  for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
    t.strictSame(parseWatchEvent('watch nodes', JSON.stringify({ type, object })), { type, object });
  }
  t.end();
});

await t.test('a bookmark is its version', (t) => {
  const line =
    '{"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"9","creationTimestamp":null}}}';
  t.strictSame(parseWatchEvent('watch nodes', line), { type: 'BOOKMARK', resourceVersion: '9' });
  t.end();
});

await t.test('an error is thrown', (t) => {
  const line = '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}';
  t.throws(() => parseWatchEvent('watch nodes', line), { kind: 'gone', message: /watch nodes: .*410: too old/ });
  t.end();
});

const garbage = [
  '',
  '<html>',
  'null',
  '7',
  '[]',
  '{}',
  '{"type":"ADDED"}',
  '{"type":"ADDED","object":{"metadata":{"name":"a","uid":"1"}}}',
  '{"type":"ADDED","object":{"metadata":{"name":"","uid":"1","resourceVersion":"1"}}}',
  '{"type":"CHANGED","object":{"metadata":{"name":"a","uid":"1","resourceVersion":"1"}}}',
  '{"type":"BOOKMARK","object":{"metadata":{}}}',
  '{"type":"ADDED","object":{"metadata":{"name":"a","uid":"1","resourceVer',
];
for (const line of garbage) {
  await t.test(`garbage is reported: ${line}`, (t) => {
    t.throws(() => parseWatchEvent('watch nodes', line), { name: 'KubernetesError', kind: 'invalid-response' });
    t.end();
  });
}
