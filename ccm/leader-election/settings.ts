import type { OptionDescription } from '../../lib/command-line/program-description.ts';
import { Failure } from '../../lib/failure.ts';
import { durationFlag, switchFlag, textFlag } from '../../lib/command-line/flag-values.ts';
import type { FlagValues } from '../../lib/command-line/flag-values.ts';

export interface ElectionTimes {
  /** How long the others wait after the last renewal that they saw. */
  readonly leaseDurationMs: number;
  /** How long a leader acts after the last renewal that it knows of. What lies between is for writes under way. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface ElectionSettings extends ElectionTimes {
  readonly enabled: boolean;
  readonly namespace: string;
  readonly name: string;
}

export const electionOptions: readonly OptionDescription[] = [
  { flag: '--leader-elect', description: 'of several replicas only one acts at a time (default true)' },
  {
    flag: '--leader-elect-lease-duration',
    value: 'DURATION',
    description: 'another replica takes over when the leader has been silent for so long, whole seconds (default 15s)',
  },
  {
    flag: '--leader-elect-renew-deadline',
    value: 'DURATION',
    description: 'a leader that could not renew for so long stops (default 10s)',
  },
  { flag: '--leader-elect-retry-period', value: 'DURATION', description: 'time between tries (default 2s)' },
  { flag: '--leader-elect-resource-lock', value: 'KIND', description: 'leases, the only kind there is' },
  {
    flag: '--leader-elect-resource-name',
    value: 'NAME',
    description: 'the Lease (default cloud-controller-manager)',
  },
  {
    flag: '--leader-elect-resource-namespace',
    value: 'NAME',
    description: 'namespace of the Lease (default kube-system)',
  },
];

export function readElection(given: FlagValues): ElectionSettings {
  const settings = {
    enabled: switchFlag(given, '--leader-elect', true),
    namespace: textFlag(given, '--leader-elect-resource-namespace', 'kube-system'),
    name: textFlag(given, '--leader-elect-resource-name', 'cloud-controller-manager'),
    leaseDurationMs: durationFlag(given, '--leader-elect-lease-duration', 15_000),
    renewDeadlineMs: durationFlag(given, '--leader-elect-renew-deadline', 10_000),
    retryPeriodMs: durationFlag(given, '--leader-elect-retry-period', 2_000),
  };
  if (textFlag(given, '--leader-elect-resource-lock', 'leases') !== 'leases') throw unusable(wrongLock);
  const mistake = settings.enabled ? mistakes.find(({ isMade }) => isMade(settings)) : undefined;
  if (mistake !== undefined) throw unusable(mistake);
  return settings;
}

interface Mistake {
  readonly message: string;
  readonly remedy: string;
}

const wrongLock: Mistake = {
  message: '--leader-elect-resource-lock names a kind of lock that does not exist',
  remedy: 'leave it out, or give leases',
};

/** A renewal needs time for a second try before the deadline. */
const triesBeforeDeadline = 1.2;

const mistakes: readonly (Mistake & { isMade(times: ElectionTimes): boolean })[] = [
  {
    // The Lease holds whole seconds: the others would wait less than the leader believes.
    isMade: ({ leaseDurationMs }) => leaseDurationMs < 1_000 || leaseDurationMs % 1_000 !== 0,
    message: '--leader-elect-lease-duration is not in whole seconds',
    remedy: 'give a number of seconds, at least 1s',
  },
  {
    isMade: ({ leaseDurationMs, renewDeadlineMs }) => renewDeadlineMs >= leaseDurationMs,
    message: '--leader-elect-renew-deadline is not shorter than --leader-elect-lease-duration',
    remedy: 'make the lease longer; 15s and 10s are usual',
  },
  {
    isMade: ({ renewDeadlineMs, retryPeriodMs }) => renewDeadlineMs <= triesBeforeDeadline * retryPeriodMs,
    message: '--leader-elect-retry-period leaves no time for a second try before --leader-elect-renew-deadline',
    remedy: 'make the retry period shorter; 10s and 2s are usual',
  },
  {
    isMade: ({ retryPeriodMs }) => retryPeriodMs <= 0,
    message: '--leader-elect-retry-period is 0',
    remedy: 'leave it out, or give 2s',
  },
];

function unusable({ message, remedy }: Mistake): Failure {
  return new Failure('misconfigured', message, { remedy });
}
