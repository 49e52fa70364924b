import t from 'tap';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import { knownNode, startHarness } from './harness.ts';

const secondMs = 1_000;
const minuteMs = 60_000;

await t.test('terminated: not more than three a minute of a small scope', async (t) => {
  const stage = startHarness();
  stage.api.put(knownNode({ name: 'awake' }));
  const all = ['a', 'b', 'c', 'd', 'e'];
  for (const each of all) {
    stage.cloud.setStatus(each, 'terminated');
    stage.api.put(knownNode({ name: each, ready: false }));
  }
  await stage.advance(30 * secondMs);
  t.equal(stage.counts.deleted, 3);
  await stage.advance(minuteMs);
  t.equal(stage.counts.deleted, 5);
});

await t.test('the breaker: a confirmation counts on a missing Node only', async (t) => {
  const stage = startHarness({ lifecycle: { ...defaultSettings, breakerNodes: 1, breakerPercent: 0 } });
  stage.api.put(knownNode({ name: 'awake' }));
  for (const each of ['a', 'b']) {
    stage.cloud.setStatus(each, 'not-found');
    stage.api.put(knownNode({ name: each, ready: false }));
  }
  await stage.advance(2 * minuteMs);
  const text = stage.logLines.find((line) => line.startsWith('Deletions are stopped'));
  const word = /confirm-deletions=(\w+)/.exec(text ?? '')?.[1] ?? 'none';
  t.not(word, 'none', 'the log has it');
  const shown = JSON.stringify([stage.api.node('a'), stage.api.node('b'), stage.api.events]);
  t.notMatch(shown, word, 'conditions and events do not');
  t.match(shown, 'DeletionsStopped');
  stage.api.change('awake', (node) => annotated(node, word));
  await stage.advance(minuteMs);
  t.equal(stage.counts.deleted, 0, 'a healthy node’s kubelet confirms nothing');
  stage.api.change('a', (node) => annotated(node, word));
  await stage.advance(minuteMs);
  t.equal(stage.counts.deleted, 2);
  t.strictSame([...stage.counts.breakers], [['toy/here', false]]);
});

function annotated(node: ReturnType<typeof knownNode>, value: string): ReturnType<typeof knownNode> {
  return { ...node, metadata: { ...node.metadata, annotations: { 'polycloud.dev/confirm-deletions': value } } };
}
