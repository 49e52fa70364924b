import type { Clock } from '../../../lib/clock.ts';
import type { Login } from '../../../lib/image-login/registry.ts';
import { slowPullMs } from '../../../lib/image-login/response.ts';

/** One way to a login. Two errands with the same key are for the same registry and the same identity. */
export interface Errand {
  readonly key: string;
  /** For people: which registry, and who asks. */
  readonly registry: string;
  readonly identity: 'node' | 'pod';
  /** Of a pod: the key that no other token has. */
  readonly ownKey?: string;
  /** When the token that earns the login ends; a pod's login is not kept without knowing. */
  readonly tokenEndsAtMs?: number;
  run(): Promise<Login>;
}

/** A login that was asked for. */
export interface Kept {
  readonly login: Login;
  /** Without what runs it, which would keep the pod's token and more in memory. */
  readonly errand: Omit<Errand, 'run'>;
  /** How the next one is asked for. Absent: a pod's login is asked for when a pod comes with its token. */
  readonly refresh?: Errand;
  readonly earnedAtMs: number;
  /** By wall time. Absent: it must not be kept. */
  readonly expiresAtMs?: number;
}

export async function runErrand(errand: Errand, clock: Clock): Promise<Kept> {
  const login = await errand.run();
  const { run: _, ...rest } = errand;
  const expiresAtMs = endOf(login, errand);
  return {
    login,
    errand: rest,
    earnedAtMs: clock.wallMs(),
    ...(errand.identity === 'node' && { refresh: errand }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}

function endOf({ expiresAtMs, endsWithToken }: Login, { identity, tokenEndsAtMs }: Errand): number | undefined {
  if (identity === 'node' || expiresAtMs === undefined) return expiresAtMs;
  if (tokenEndsAtMs === undefined) return undefined;
  return endsWithToken ? Math.min(expiresAtMs, tokenEndsAtMs) : expiresAtMs;
}

export function isAlive({ expiresAtMs }: Kept, clock: Clock): boolean {
  return expiresAtMs !== undefined && clock.wallMs() < expiresAtMs;
}

/** Would a pull that begins with it perhaps not be through in time? */
export function endsSoon({ expiresAtMs = 0 }: Kept, clock: Clock): boolean {
  return expiresAtMs - clock.wallMs() < slowPullMs;
}

export function lifeMs({ earnedAtMs, expiresAtMs }: Kept): number {
  return expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - earnedAtMs);
}
