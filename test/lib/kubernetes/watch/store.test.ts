import t from 'tap';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { drop, dropOthers, keyOf, put } from '../../../../lib/kubernetes/watch/store.ts';
import type { Store } from '../../../../lib/kubernetes/watch/store.ts';
import { nodeObject } from '../node-object.ts';

const first = nodeObject({ name: 'a', uid: '1', version: '1' });
const later = nodeObject({ name: 'a', uid: '1', version: '2' });
const replacement = nodeObject({ name: 'a', uid: '2', version: '3' });
const other = nodeObject({ name: 'b', uid: '9', version: '1' });

function storeOf(...nodes: readonly Node[]): Store<Node> {
  return new Map(nodes.map((node) => [keyOf(node), node]));
}

await t.test('new, then changed, then the same', (t) => {
  const store = storeOf();
  t.strictSame(put(store, first), [{ kind: 'added', object: first }]);
  t.strictSame(put(store, later), [{ kind: 'changed', object: later, before: first }]);
  t.strictSame(put(store, structuredClone(later)), []);
  t.equal(store.get('a'), later, 'and what is the same is not kept twice');
  t.end();
});

await t.test('a new object with an old name is reported after the removal of the old one', (t) => {
  const store = storeOf(later);
  t.strictSame(put(store, replacement), [
    { kind: 'removed', object: later },
    { kind: 'added', object: replacement },
  ]);
  t.end();
});

await t.test('a removal has the last state, once', (t) => {
  const store = storeOf(first);
  t.strictSame(drop(store, later), [{ kind: 'removed', object: later }]);
  t.strictSame(drop(store, later), []);
  t.equal(store.size, 0);
  t.end();
});

await t.test('an object that is no longer listed was removed', (t) => {
  const store = storeOf(first, other);
  t.strictSame(dropOthers(store, new Set(['b'])), [{ kind: 'removed', object: first }]);
  t.strictSame([...store.keys()], ['b']);
  t.end();
});

await t.test('names are unique within their namespace only', (t) => {
  t.equal(keyOf(first), 'a');
  t.equal(keyOf({ metadata: { ...first.metadata, namespace: 'x' } }), 'x/a');
  t.end();
});
