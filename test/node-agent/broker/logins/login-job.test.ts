import t from 'tap';
import { Secret } from '../../../../lib/secret.ts';
import { expiresSoon, isValid, runLoginJob } from '../../../../node-agent/broker/logins/login-job.ts';
import type { LoginJob } from '../../../../node-agent/broker/logins/login-job.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';

const startMs = Date.parse('2026-11-18T12:00:00Z');
const hourMs = 3_600_000;
const loginEndsAtMs = startMs + 12 * hourMs;

interface Case {
  readonly identity: LoginJob['identity'];
  readonly endsWithToken: boolean;
  readonly tokenEndsAtMs?: number;
  readonly loginEndsAtMs?: number;
  /** Absent: it must not be cached. */
  readonly expiresAtMs?: number;
}

const soonMs = startMs + hourMs;
const lateMs = startMs + 24 * hourMs;
const cases: Readonly<Record<string, Case>> = {
  'a node’s login by its own end': {
    identity: 'node',
    endsWithToken: false,
    loginEndsAtMs,
    expiresAtMs: loginEndsAtMs,
  },
  'a pod’s login by its own end': {
    identity: 'pod',
    endsWithToken: false,
    tokenEndsAtMs: soonMs,
    loginEndsAtMs,
    expiresAtMs: loginEndsAtMs,
  },
  'one that ends with its token, by the token’s': {
    identity: 'pod',
    endsWithToken: true,
    tokenEndsAtMs: soonMs,
    loginEndsAtMs,
    expiresAtMs: soonMs,
  },
  'or by its own, if that comes first': {
    identity: 'pod',
    endsWithToken: true,
    tokenEndsAtMs: lateMs,
    loginEndsAtMs,
    expiresAtMs: loginEndsAtMs,
  },
  'not at all without its expiry': { identity: 'pod', endsWithToken: true, tokenEndsAtMs: soonMs },
  'nor without the expiry of its token': { identity: 'pod', endsWithToken: false, loginEndsAtMs },
};

for (const [name, { identity, endsWithToken, tokenEndsAtMs, loginEndsAtMs: endsAtMs, expiresAtMs }] of Object.entries(
  cases,
)) {
  await t.test(`a login is cached: ${name}`, async (t) => {
    const clock = createFakeClock(startMs);
    const login = {
      username: 'u',
      password: new Secret('p'),
      endsWithToken,
      ...(endsAtMs && { expiresAtMs: endsAtMs }),
    };
    const run = async () => Promise.resolve(login);
    const asked = { key: 'k', registry: 'r', identity, run, ...(tokenEndsAtMs && { tokenEndsAtMs }) };
    const kept = await runLoginJob(asked, clock);
    t.equal(kept.expiresAtMs, expiresAtMs);
    t.equal(isValid(kept, clock), expiresAtMs !== undefined);
    t.equal(kept.refresh !== undefined, identity === 'node', 'a pod’s token is not kept in memory');
    if (expiresAtMs === undefined) return;
    await clock.advance(expiresAtMs - startMs - 1);
    t.ok(isValid(kept, clock) && expiresSoon(kept, clock), 'to its last moment');
    await clock.advance(1);
    t.notOk(isValid(kept, clock));
  });
}
