import { configuredHttp } from '../../lib/http/configured-http.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Clock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log/log.ts';
import type { Log } from '../../lib/log/log.ts';
import { logIn } from '../../lib/registry-login/log-in.ts';
import type { Logins } from '../../lib/registry-login/log-in.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import type { AvailableClouds } from '../../lib/registry-login/resolve-registry.ts';
import { Declined } from './declined.ts';
import type { HostView } from './host-views.ts';
import type { LoginSlots } from './logins/login-slots.ts';
import { withTimeout } from './with-timeout.ts';

export interface LimitedLoginsDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Aborts every login that is running. */
  readonly signal: AbortSignal;
  readonly slots: LoginSlots;
  openHttp(settings: HttpSettings): Http;
  /** The cloud has given a login, or not. */
  onLogin(attempt: LoginAttempt): void;
}

export interface LoginAttempt {
  readonly cloud: string;
  readonly durationMs: number;
  /** Absent: it succeeded. */
  readonly error?: unknown;
}

interface RequestView {
  readonly available: AvailableClouds;
  readonly view: HostView;
  readonly notes: string[];
}

/** With the wait for a slot it is over before `brokerLimits.answerMs`, so that the response can give the reason. */
const longestLoginMs = 15_000;

/** Asks the cloud, for a limited number of logins at a time, and each with a time limit. */
export function createLimitedLogins({ available, view, notes }: RequestView, deps: LimitedLoginsDeps): Logins {
  const { clock, random, slots, openHttp } = deps;
  // A login can be shared by several requests, so the secrets of one request are not enough here.
  const { redact } = createRedactor();
  return {
    get: (registry, identity, config) => {
      let lastStep = '';
      const log = createLog(({ verbosity, message }) => {
        if (verbosity === 0) return void notes.push(message);
        lastStep = message;
        deps.log.debug(`Broker: ${redact(message)}`);
      });
      const ask = async (signal: AbortSignal): ReturnType<typeof logIn> => {
        const login = await logIn(
          registry,
          identity,
          { ...available, config },
          {
            signal: AbortSignal.any([deps.signal, signal]),
            deadlineAtMs: clock.monotonicMs() + longestLoginMs,
            http: await configuredHttp(config.caFile, { ...available.runtime, openHttp }),
            clock,
            random,
            log,
          },
        );
        view.checkComplete();
        return login;
      };
      return slots.run(() =>
        observed(registry.cloud, () => withTimeout(longestLoginMs, clock, ask, () => lastStep), deps),
      );
    },
  };
}

async function observed<Result>(
  cloud: string,
  login: () => Promise<Result>,
  { clock, onLogin }: LimitedLoginsDeps,
): Promise<Result> {
  const startedAtMs = clock.monotonicMs();
  const end = (error?: unknown): void => {
    const durationMs = clock.monotonicMs() - startedAtMs;
    // Declined is no failure: the full program asks.
    if (!(error instanceof Declined)) onLogin({ cloud, durationMs, ...(error !== undefined && { error }) });
  };
  try {
    const result = await login();
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}
