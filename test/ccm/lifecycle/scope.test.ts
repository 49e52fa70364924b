import t from 'tap';
import type { Finding } from '../../../clouds/index.ts';
import { noteDeletion, permissionOf } from '../../../ccm/lifecycle/permission.ts';
import type { Permission } from '../../../ccm/lifecycle/permission.ts';
import { beginScope, observeScope, wordFor } from '../../../ccm/lifecycle/scope.ts';
import type { ScopeLook, ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import { badCanary, goodCanary, notFound, running, terminated } from './stage.ts';

function names(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `node-${from + index}`);
}

interface Told extends Partial<ScopeLook> {
  readonly atMs: number;
  readonly size?: number;
  readonly said: Finding;
  readonly of: readonly string[];
}

function tell(scope: ScopeRecord, { atMs, said, of, size, ...look }: Told): ScopeRecord {
  const findings = new Map(of.map((uid) => [uid, said]));
  const told = {
    known: new Set(names(size ?? 10)),
    canary: goodCanary,
    confirmed: new Map<string, string>(),
    findings,
    ...look,
  };
  return observeScope(scope, told, defaultSettings, atMs);
}

function mayGo(scope: ScopeRecord, uid: string, atMs = scope.lastAtMs): Permission {
  return permissionOf(scope, { uid, word: 'not-found' }, defaultSettings, atMs);
}

const onNode0 = (word: string): ReadonlyMap<string, string> => new Map([['node-0', word]]);
const fresh = beginScope('aws/one', 0);

await t.test('more than three nodes or 20 % are too many', async (t) => {
  for (const { size, missing, open } of [
    { size: 3, missing: 3, open: false },
    { size: 4, missing: 4, open: true },
    { size: 15, missing: 3, open: false },
    { size: 15, missing: 4, open: true },
    { size: 20, missing: 4, open: false },
    { size: 24, missing: 5, open: true },
    { size: 1_000, missing: 200, open: false },
    { size: 1_000, missing: 201, open: true },
  ]) {
    const scope = tell(fresh, { atMs: 0, size, said: notFound, of: names(missing) });
    t.equal(scope.open, open, `${missing} of ${size}`);
    t.equal(mayGo(scope, 'node-0').given, !open);
  }
});

await t.test('those that went missing within ten minutes count, also if their Nodes are deleted', async (t) => {
  const three = tell(fresh, { atMs: 0, said: notFound, of: names(3) });
  const deleted = { known: new Set(names(10, 3)), said: notFound, of: names(1, 3) };
  t.equal(tell(three, { atMs: 599_999, ...deleted }).open, true);
  t.equal(tell(three, { atMs: 600_000, ...deleted }).open, false);
});

await t.test('a bad canary opens nothing', async (t) => {
  const scope = tell(fresh, { atMs: 0, said: notFound, of: names(10), canary: badCanary });
  t.equal(scope.open, false);
  t.match(mayGo(scope, 'node-0'), { given: false, reason: 'its scope was not told that it is missing' });
});

await t.test('an open breaker waits for all of them, however long it takes', async (t) => {
  const open = tell(fresh, { atMs: 0, said: notFound, of: names(4) });
  const later = tell(open, { atMs: 86_400_000, said: running, of: names(3) });
  t.equal(later.open, true);
  t.equal(tell(later, { atMs: 86_400_001, said: terminated, of: names(1, 3), canary: badCanary }).open, true);
  t.equal(tell(later, { atMs: 86_400_001, said: terminated, of: names(1, 3) }).open, false);
  t.equal(tell(later, { atMs: 86_400_001, said: running, of: names(1, 3) }).open, false);
});

await t.test('it does not hold what is terminated', async (t) => {
  const open = tell(fresh, { atMs: 0, said: notFound, of: names(4) });
  t.equal(permissionOf(open, { uid: 'node-9', word: 'terminated' }, defaultSettings, 0).given, true);
});

await t.test('a word confirms exactly those it was shown for', async (t) => {
  const open = tell(fresh, { atMs: 0, said: notFound, of: names(4) });
  const word = wordFor(open);
  t.notMatch(mayGo(open, 'node-0').reason, word, 'what is told on Nodes does not have it');
  const wrong = tell(open, { atMs: 1, said: notFound, of: names(4), confirmed: onNode0('0000000000') });
  t.equal(wrong.open, true);
  const more = tell(open, { atMs: 1, said: notFound, of: names(5), confirmed: onNode0(word) });
  t.equal(more.open, true, 'another one is missing');
  t.not(wordFor(more), word);
  const confirmed = tell(open, { atMs: 1, said: notFound, of: names(4), confirmed: onNode0(word) });
  t.equal(confirmed.open, false);
  t.equal(mayGo(confirmed, 'node-0').given, true);
  const others = tell(confirmed, { atMs: 2, said: notFound, of: names(4, 4), confirmed: onNode0(word) });
  t.equal(others.open, true, 'four others are too many again');
  t.match([mayGo(others, 'node-0'), mayGo(others, 'node-4')], [{ given: true }, { given: false }]);
});

await t.test('a word counts only on a Node that is missing and unconfirmed', async (t) => {
  const open = tell(fresh, { atMs: 0, said: notFound, of: names(4) });
  const on = (uid: string, scope = open): ScopeRecord =>
    tell(scope, { atMs: 1, said: running, of: names(1, 9), confirmed: new Map([[uid, wordFor(scope)]]) });
  t.equal(on('node-9').open, true, 'its instance is there');
  t.equal(on('node-4').open, true, 'it was not asked for');
  t.equal(on('node-3').open, false, 'it is missing');
  const again = tell(on('node-3'), { atMs: 2, said: notFound, of: names(4, 4) });
  t.equal(on('node-3', again).open, true, 'it was confirmed before');
  t.equal(on('node-4', again).open, false);
});

await t.test('a word that was used does not confirm the same nodes again', async (t) => {
  const open = tell(fresh, { atMs: 0, said: notFound, of: names(4) });
  const confirmed = onNode0(wordFor(open));
  const used = tell(open, { atMs: 1, said: notFound, of: names(4), confirmed });
  const back = tell(used, { atMs: 2, said: running, of: names(4), confirmed });
  t.equal(tell(back, { atMs: 3, said: notFound, of: names(4), confirmed }).open, true);
});

await t.test('words differ between scopes, and not by the order of nodes', async (t) => {
  const one = tell(fresh, { atMs: 0, said: notFound, of: names(4) });
  const reversed = tell(fresh, {
    atMs: 0,
    said: notFound,
    of: names(4).toReversed(),
    known: new Set(names(10).toReversed()),
  });
  const elsewhere = tell(beginScope('aws/two', 0), { atMs: 0, said: notFound, of: names(4) });
  t.equal(wordFor(one), wordFor(reversed));
  t.not(wordFor(one), wordFor(elsewhere));
});

await t.test('terminated nodes go at max(3, 20 %) a minute', async (t) => {
  for (const { size, most } of [
    { size: 5, most: 3 },
    { size: 19, most: 3 },
    { size: 100, most: 20 },
  ]) {
    let scope = tell(fresh, { atMs: 0, size, said: running, of: [] });
    const request = (index: number): Permission =>
      permissionOf(scope, { uid: `node-${index}`, word: 'terminated' }, defaultSettings, index);
    for (let index = 0; index < most; index++) {
      t.equal(request(index).given, true);
      scope = noteDeletion(scope, { uid: `node-${index}`, word: 'terminated' }, index);
    }
    t.match(request(most), { given: false, againInMs: 60_000 - most });
    t.equal(request(0).given, true, 'a delete that failed is asked for again, and takes nobody else his turn');
    t.equal(request(59_999).given, false);
    t.equal(request(60_000).given, true, 'the first is a minute ago');
  }
});

await t.test('a clock that goes back neither closes the breaker nor quickens deletions', async (t) => {
  const request = { uid: 'node-9', word: 'terminated' } as const;
  const deleted = names(3).reduce((scope, uid) => noteDeletion(scope, { uid, word: 'terminated' }, 1_000_000), fresh);
  const late = tell(deleted, { atMs: 1_000_000, said: notFound, of: names(4) });
  const early = tell(late, { atMs: 0, said: notFound, of: [] });
  t.equal(early.open, true);
  t.equal(permissionOf(early, request, defaultSettings, 59_999).given, false);
  t.equal(permissionOf(early, request, defaultSettings, 60_000).given, true);
});
