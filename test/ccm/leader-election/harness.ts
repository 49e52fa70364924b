import { createElection } from '../../../ccm/leader-election.ts';
import type { Election, LeaderWork } from '../../../ccm/leader-election.ts';
import type { LeaseStore } from '../../../ccm/leader-election/lease-store.ts';
import type { ElectionTimes } from '../../../ccm/leader-election/settings.ts';
import type { Leadership } from '../../../ccm/leader-election/term.ts';
import type { Clock } from '../../../lib/clock.ts';
import { logInto } from '../../support/logs.ts';

export const defaultTimes: ElectionTimes = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/** A candidate at work, as a test sees it. */
export interface TestCandidate {
  readonly election: Election;
  /** Of the term that goes on; absent: it does not lead. */
  leadership(): Leadership | undefined;
  mayWrite(): boolean;
  terms(): number;
  readonly logLines: readonly string[];
  /** Asks it to go, as SIGTERM does. */
  stop(): void;
  /** Set once `run` is over. */
  outcome(): { readonly error?: unknown } | undefined;
}

export interface TestCandidateParts {
  readonly identity: string;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly times: ElectionTimes;
  readonly random: () => number;
  /** The work of the leader. In most tests it only runs until the signal. */
  readonly work: LeaderWork;
}

export function startTestCandidate(parts: TestCandidateParts): TestCandidate {
  const logLines: string[] = [];
  const stopping = new AbortController();
  let current: Leadership | undefined;
  let last: Leadership | undefined;
  let terms = 0;
  let outcome: { readonly error?: unknown } | undefined;
  const log = logInto((line) => logLines.push(line), 1);
  const election = createElection({ ...parts, log });
  const work: LeaderWork = async (leadership) => {
    current = leadership;
    last = leadership;
    terms += 1;
    await parts.work(leadership).finally(() => {
      current = undefined;
    });
  };
  election.run(work, stopping.signal).then(
    () => {
      outcome = {};
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  return {
    election,
    logLines,
    leadership: () => current,
    mayWrite: () => last?.mayWrite() ?? false,
    terms: () => terms,
    stop: () => stopping.abort(new Error('told to go')),
    outcome: () => outcome,
  };
}

/** Work that runs until the signal. */
export function workUntilAborted({ signal }: Leadership): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
