import type { Clock } from '../../../lib/clock.ts';
import type { Login } from '../../../clouds/index.ts';
import { slowPullMs } from '../../../lib/registry-login/response.ts';

/** How to get a login. Jobs with the same key are for the same registry and the same identity. */
export interface LoginJob {
  readonly key: string;
  /** For the status, like `identity`. */
  readonly registry: string;
  readonly identity: 'node' | 'pod';
  /** For a pod: the key of this very token. */
  readonly tokenKey?: string;
  /** When the pod's token expires; without it the login is not cached. */
  readonly tokenEndsAtMs?: number;
  run(): Promise<Login>;
}

export interface CachedLogin {
  readonly login: Login;
  /** Without `run`, which holds the pod's token and more in memory. */
  readonly job: Omit<LoginJob, 'run'>;
  /** Gets the next login. Absent for pods: only a request brings their token. */
  readonly refresh?: LoginJob;
  readonly obtainedAtMs: number;
  /** By wall time. Absent: it must not be cached. */
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

/** Could it expire before a slow pull that starts with it ends? */
export function expiresSoon({ expiresAtMs = 0 }: CachedLogin, clock: Clock): boolean {
  return expiresAtMs - clock.wallMs() < slowPullMs;
}

export function lifetimeMs({ obtainedAtMs, expiresAtMs }: CachedLogin): number {
  return expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - obtainedAtMs);
}
