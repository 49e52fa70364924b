import t from 'tap';
import type { LookupResult } from '../../../clouds/cloud.ts';
import { recordDeletion, permissionOf } from '../../../ccm/lifecycle/permission.ts';
import type { DeletionPermission } from '../../../ccm/lifecycle/permission.ts';
import { createScopeRecord, observeScope, confirmationTokenFor } from '../../../ccm/lifecycle/scope.ts';
import type { ScopeLookup, ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import { badCanary, goodCanary, notFound, running, terminated } from './harness.ts';

function names(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `node-${from + index}`);
}

interface LookupOverrides extends Partial<ScopeLookup> {
  readonly atMs: number;
  readonly size?: number;
  readonly result: LookupResult;
  readonly uids: readonly string[];
}

function observeLookup(scope: ScopeRecord, { atMs, result, uids, size, ...overrides }: LookupOverrides): ScopeRecord {
  const results = new Map(uids.map((uid) => [uid, result]));
  const lookup = {
    known: new Set(names(size ?? 10)),
    canary: goodCanary,
    confirmed: new Map<string, string>(),
    results,
    ...overrides,
  };
  return observeScope(scope, lookup, defaultSettings, atMs);
}

function permissionFor(scope: ScopeRecord, uid: string, atMs = scope.lastAtMs): DeletionPermission {
  return permissionOf(scope, { uid, status: 'not-found' }, defaultSettings, atMs);
}

const onNode0 = (token: string): ReadonlyMap<string, string> => new Map([['node-0', token]]);
const fresh = createScopeRecord('aws/one', 0);

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
    const scope = observeLookup(fresh, { atMs: 0, size, result: notFound, uids: names(missing) });
    t.equal(scope.open, open, `${missing} of ${size}`);
    t.equal(permissionFor(scope, 'node-0').given, !open);
  }
});

await t.test('those that went missing within ten minutes count, also if their Nodes are deleted', async (t) => {
  const three = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(3) });
  const deleted = { known: new Set(names(10, 3)), result: notFound, uids: names(1, 3) };
  t.equal(observeLookup(three, { atMs: 599_999, ...deleted }).open, true);
  t.equal(observeLookup(three, { atMs: 600_000, ...deleted }).open, false);
});

await t.test('a bad canary opens nothing', async (t) => {
  const scope = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(10), canary: badCanary });
  t.equal(scope.open, false);
  t.match(permissionFor(scope, 'node-0'), { given: false, reason: 'its scope has no record that it is missing' });
});

await t.test('an open breaker waits for all of them, however long it takes', async (t) => {
  const open = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(4) });
  const later = observeLookup(open, { atMs: 86_400_000, result: running, uids: names(3) });
  t.equal(later.open, true);
  t.equal(
    observeLookup(later, { atMs: 86_400_001, result: terminated, uids: names(1, 3), canary: badCanary }).open,
    true,
  );
  t.equal(observeLookup(later, { atMs: 86_400_001, result: terminated, uids: names(1, 3) }).open, false);
  t.equal(observeLookup(later, { atMs: 86_400_001, result: running, uids: names(1, 3) }).open, false);
});

await t.test('it does not hold what is terminated', async (t) => {
  const open = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(4) });
  t.equal(permissionOf(open, { uid: 'node-9', status: 'terminated' }, defaultSettings, 0).given, true);
});

await t.test('a word confirms exactly those it was shown for', async (t) => {
  const open = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(4) });
  const word = confirmationTokenFor(open);
  t.notMatch(permissionFor(open, 'node-0').reason, word, 'what is told on Nodes does not have it');
  const wrong = observeLookup(open, { atMs: 1, result: notFound, uids: names(4), confirmed: onNode0('0000000000') });
  t.equal(wrong.open, true);
  const more = observeLookup(open, { atMs: 1, result: notFound, uids: names(5), confirmed: onNode0(word) });
  t.equal(more.open, true, 'another one is missing');
  t.not(confirmationTokenFor(more), word);
  const confirmed = observeLookup(open, { atMs: 1, result: notFound, uids: names(4), confirmed: onNode0(word) });
  t.equal(confirmed.open, false);
  t.equal(permissionFor(confirmed, 'node-0').given, true);
  const others = observeLookup(confirmed, { atMs: 2, result: notFound, uids: names(4, 4), confirmed: onNode0(word) });
  t.equal(others.open, true, 'four others are too many again');
  t.match([permissionFor(others, 'node-0'), permissionFor(others, 'node-4')], [{ given: true }, { given: false }]);
});

await t.test('a word counts only on a Node that is missing and unconfirmed', async (t) => {
  const open = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(4) });
  const on = (uid: string, scope = open): ScopeRecord =>
    observeLookup(scope, {
      atMs: 1,
      result: running,
      uids: names(1, 9),
      confirmed: new Map([[uid, confirmationTokenFor(scope)]]),
    });
  t.equal(on('node-9').open, true, 'its instance is there');
  t.equal(on('node-4').open, true, 'it was not asked for');
  t.equal(on('node-3').open, false, 'it is missing');
  const again = observeLookup(on('node-3'), { atMs: 2, result: notFound, uids: names(4, 4) });
  t.equal(on('node-3', again).open, true, 'it was confirmed before');
  t.equal(on('node-4', again).open, false);
});

await t.test('a word that was used does not confirm the same nodes again', async (t) => {
  const open = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(4) });
  const confirmed = onNode0(confirmationTokenFor(open));
  const used = observeLookup(open, { atMs: 1, result: notFound, uids: names(4), confirmed });
  const back = observeLookup(used, { atMs: 2, result: running, uids: names(4), confirmed });
  t.equal(observeLookup(back, { atMs: 3, result: notFound, uids: names(4), confirmed }).open, true);
});

await t.test('words differ between scopes, and not by the order of nodes', async (t) => {
  const one = observeLookup(fresh, { atMs: 0, result: notFound, uids: names(4) });
  const reversed = observeLookup(fresh, {
    atMs: 0,
    result: notFound,
    uids: names(4).toReversed(),
    known: new Set(names(10).toReversed()),
  });
  const elsewhere = observeLookup(createScopeRecord('aws/two', 0), { atMs: 0, result: notFound, uids: names(4) });
  t.equal(confirmationTokenFor(one), confirmationTokenFor(reversed));
  t.not(confirmationTokenFor(one), confirmationTokenFor(elsewhere));
});

await t.test('terminated nodes go at max(3, 20 %) a minute', async (t) => {
  for (const { size, most } of [
    { size: 5, most: 3 },
    { size: 19, most: 3 },
    { size: 100, most: 20 },
  ]) {
    let scope = observeLookup(fresh, { atMs: 0, size, result: running, uids: [] });
    const request = (index: number): DeletionPermission =>
      permissionOf(scope, { uid: `node-${index}`, status: 'terminated' }, defaultSettings, index);
    for (let index = 0; index < most; index++) {
      t.equal(request(index).given, true);
      scope = recordDeletion(scope, { uid: `node-${index}`, status: 'terminated' }, index);
    }
    t.match(request(most), { given: false, retryInMs: 60_000 - most });
    t.equal(request(0).given, true, 'a delete that failed is asked for again, and takes nobody else his turn');
    t.equal(request(59_999).given, false);
    t.equal(request(60_000).given, true, 'the first is a minute ago');
  }
});

await t.test('a clock that goes back neither closes the breaker nor quickens deletions', async (t) => {
  const request = { uid: 'node-9', status: 'terminated' } as const;
  const deleted = names(3).reduce(
    (scope, uid) => recordDeletion(scope, { uid, status: 'terminated' }, 1_000_000),
    fresh,
  );
  const late = observeLookup(deleted, { atMs: 1_000_000, result: notFound, uids: names(4) });
  const early = observeLookup(late, { atMs: 0, result: notFound, uids: [] });
  t.equal(early.open, true);
  t.equal(permissionOf(early, request, defaultSettings, 59_999).given, false);
  t.equal(permissionOf(early, request, defaultSettings, 60_000).given, true);
});
