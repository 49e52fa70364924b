import t from 'tap';
import { breakerNews } from '../../../ccm/controller/breaker-word.ts';
import type { NodeRecord } from '../../../ccm/lifecycle/record.ts';
import { beginScope, wordFor } from '../../../ccm/lifecycle/scope.ts';
import type { ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';

const missing = { lastAtMs: 0, isNode: true, confirmed: false };
const record: NodeRecord = { uid: 'u', silentSinceMs: 0, lastAtMs: 0, sightings: {}, reported: 'DeletionsStopped' };

function scopeWith(uids: readonly string[], changes: Partial<ScopeRecord>): ScopeRecord {
  return { ...beginScope('s', 0), open: true, missing: new Map(uids.map((uid) => [uid, missing])), ...changes };
}

function newsOf(told: NodeRecord, word: string | undefined, scope: ScopeRecord): string | undefined {
  return breakerNews({ record: told, word }, scope, defaultSettings, 0)?.report.message;
}

const scope = scopeWith(['u', 'v'], {});

await t.test('a word that is not told yet is news, and then no more', async (t) => {
  t.match(newsOf(record, undefined, scope), `confirms with ${wordFor(scope)}`);
  t.equal(newsOf(record, wordFor(scope), scope), undefined);
});

await t.test('another one missing is another word', async (t) => {
  const grown = scopeWith(['u', 'v', 'w'], {});
  t.match(newsOf(record, wordFor(scope), grown), `confirms with ${wordFor(grown)}`);
});

await t.test('where the breaker does not keep the Node there is nothing to tell', async (t) => {
  t.equal(newsOf({ ...record, reported: 'InstanceGone' }, undefined, scope), undefined, 'something else is told');
  t.equal(newsOf(record, undefined, scopeWith(['u'], { open: false })), undefined, 'it is closed');
  const confirmed = scopeWith(['v'], { missing: new Map([['u', { ...missing, confirmed: true }]]) });
  t.equal(newsOf(record, undefined, confirmed), undefined, 'somebody confirmed it');
});
