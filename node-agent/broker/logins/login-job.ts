import type { Clock } from '../../../lib/clock.ts';
import type { Login } from '../../../clouds/index.ts';
import { slowPullMs } from '../../../lib/registry-login/response.ts';

/** One way to a login. Two jobs with the same key are for the same registry and the same identity. */
export interface LoginJob {
  readonly key: string;
  /** For people: which registry, and who asks. */
  readonly registry: string;
  readonly identity: 'node' | 'pod';
  /** Of a pod: the key that no other token has. */
  readonly tokenKey?: string;
  /** When the token that earns the login ends; a pod's login is not kept without knowing. */
  readonly tokenEndsAtMs?: number;
  run(): Promise<Login>;
}

/** A login that was asked for. */
export interface CachedLogin {
  readonly login: Login;
  /** Without what runs it, which would keep the pod's token and more in memory. */
  readonly job: Omit<LoginJob, 'run'>;
  /** How the next one is asked for. Absent: a pod's login is asked for when a pod comes with its token. */
  readonly refresh?: LoginJob;
  readonly obtainedAtMs: number;
  /** By wall time. Absent: it must not be kept. */
  readonly expiresAtMs?: number;
}

export async function runLoginJob(job: LoginJob, clock: Clock): Promise<CachedLogin> {
  const login = await job.run();
  const { run: _, ...rest } = job;
  const expiresAtMs = expiryOf(login, job);
  return {
    login,
    job: rest,
    obtainedAtMs: clock.wallMs(),
    ...(job.identity === 'node' && { refresh: job }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}

function expiryOf({ expiresAtMs, endsWithToken }: Login, { identity, tokenEndsAtMs }: LoginJob): number | undefined {
  if (identity === 'node' || expiresAtMs === undefined) return expiresAtMs;
  if (tokenEndsAtMs === undefined) return undefined;
  return endsWithToken ? Math.min(expiresAtMs, tokenEndsAtMs) : expiresAtMs;
}

export function isValid({ expiresAtMs }: CachedLogin, clock: Clock): boolean {
  return expiresAtMs !== undefined && clock.wallMs() < expiresAtMs;
}

/** Would a pull that begins with it perhaps not be through in time? */
export function expiresSoon({ expiresAtMs = 0 }: CachedLogin, clock: Clock): boolean {
  return expiresAtMs - clock.wallMs() < slowPullMs;
}

export function lifetimeMs({ obtainedAtMs, expiresAtMs }: CachedLogin): number {
  return expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - obtainedAtMs);
}
