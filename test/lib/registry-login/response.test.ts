import t from 'tap';
import { emptyResponse, toResponse, cacheForMs } from '../../../lib/registry-login/response.ts';
import { Secret } from '../../../lib/secret.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const nowMs = Date.parse('2026-11-18T12:00:00Z');

/** Half of the life, or the life less 15 minutes, whichever is less; no login counts for more than a day. */
const lives: readonly (readonly [lifeMs: number, cacheMs: number])[] = [
  [12 * hourMs, 6 * hourMs],
  [hourMs, 30 * minuteMs],
  [30 * minuteMs, 15 * minuteMs],
  [29 * minuteMs, 14 * minuteMs],
  [20 * minuteMs, 5 * minuteMs],
  [15 * minuteMs, 0],
  [14 * minuteMs, 0],
  [1, 0],
  [0, 0],
  [-1, 0],
  [-12 * hourMs, 0],
  [24 * hourMs, 12 * hourMs],
  [25 * hourMs, 12 * hourMs],
  [20 * 365 * 24 * hourMs, 12 * hourMs],
  [Number.POSITIVE_INFINITY, 12 * hourMs],
  [Number.NEGATIVE_INFINITY, 0],
];

for (const [lifeMs, cacheMs] of lives) {
  await t.test(`a login that lives ${lifeMs / minuteMs} minutes is cached for ${cacheMs / minuteMs}`, (t) => {
    t.equal(cacheForMs(nowMs + lifeMs, nowMs), cacheMs);
    t.end();
  });
}

await t.test('a login without an expiry is not cached', (t) => {
  t.equal(cacheForMs(undefined, nowMs), 0);
  t.end();
});

await t.test('for every expiry, the cache ends before the login', (t) => {
  for (let lifeMs = -hourMs; lifeMs < 30 * hourMs; lifeMs += 7 * minuteMs + 13) {
    const cacheMs = cacheForMs(nowMs + lifeMs, nowMs);
    if (cacheMs < 0 || (cacheMs > 0 && lifeMs - cacheMs < 15 * minuteMs)) t.fail(`${lifeMs} ms gives ${cacheMs} ms`);
  }
  t.end();
});

const versions = ['v1', 'v1beta1', 'v1alpha1'] as const;
for (const version of versions) {
  await t.test(`a response has the version of the request, ${version}, and only fields that a kubelet knows`, (t) => {
    const apiVersion = `credentialprovider.kubelet.k8s.io/${version}` as const;
    const login = {
      username: 'AWS',
      password: new Secret('word'),
      expiresAtMs: nowMs + 12 * hourMs,
      endsWithToken: false,
    };
    t.strictSame(
      toResponse(apiVersion, { authKey: 'registry.example:5000/team', servesWholeHost: false }, login, nowMs),
      {
        kind: 'CredentialProviderResponse',
        apiVersion,
        cacheKeyType: 'Image',
        cacheDuration: '6h0m0s',
        auth: { 'registry.example:5000/team': { username: 'AWS', password: 'word' } },
      },
    );
    t.equal(toResponse(apiVersion, { authKey: 'a', servesWholeHost: true }, login, nowMs).cacheKeyType, 'Registry');
    t.strictSame(emptyResponse(apiVersion), {
      kind: 'CredentialProviderResponse',
      apiVersion,
      cacheKeyType: 'Image',
      cacheDuration: '0s',
      auth: {},
    });
    t.end();
  });
}

await t.test('a login without an expiry, or an expired one, is returned and not cached', (t) => {
  const registry = { authKey: 'registry.example', servesWholeHost: true };
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  for (const life of [{}, { expiresAtMs: nowMs - 1 }, { expiresAtMs: 0 }]) {
    const login = { username: 'user', password: new Secret('word'), endsWithToken: false, ...life };
    t.equal(toResponse(apiVersion, registry, login, nowMs).cacheDuration, '0s');
  }
  t.end();
});

await t.test('the cache duration is rounded down to whole seconds', (t) => {
  const registry = { authKey: 'registry.example', servesWholeHost: true };
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  const login = { username: 'user', password: new Secret('word'), endsWithToken: false };
  const durationOf = (cacheMs: number): string =>
    toResponse(apiVersion, registry, { ...login, expiresAtMs: nowMs + cacheMs + 15 * minuteMs }, nowMs).cacheDuration;
  t.equal(durationOf(999), '0s');
  t.equal(durationOf(59_999), '59s');
  t.equal(durationOf(61_500), '1m1s');
  t.end();
});
