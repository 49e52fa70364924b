import type { Clock } from '../../lib/clock.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import type { FailureReason } from '../../schemas/metrics/declaration.ts';

/** A request of the kubelet that got no login, so that its pull fails. */
export interface LoginFailure {
  /** Absent: the request failed before its registry was known. */
  readonly registry?: string;
  /** Namespace and name. Absent: the node logs in, not the pod. */
  readonly serviceAccount?: string;
  readonly reason: FailureReason;
  /** Without secrets. */
  readonly text: string;
}

export interface FailureReporterDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  /** Absent: only the log has failures. */
  writeEvent?(event: NodeEvent): Promise<void>;
}

/** The kubelet repeats a pull, and many pods can have images of one registry. */
const quietMs = 5 * 60_000;
/** Of one node, within that time. */
const maxReports = 50;

/** Reports failed logins in the log and by an event on the Node: each kind of each registry once in 5 minutes. */
export function createFailureReporter(deps: FailureReporterDeps): (failure: LoginFailure) => void {
  const { clock, log } = deps;
  const reportedAtMs = new Map<string, number>();

  function isKnown(key: string): boolean {
    const nowMs = clock.monotonicMs();
    for (const [each, atMs] of reportedAtMs) if (nowMs - atMs >= quietMs) reportedAtMs.delete(each);
    if (reportedAtMs.has(key) || reportedAtMs.size >= maxReports) return true;
    reportedAtMs.set(key, nowMs);
    return false;
  }

  return (failure) => {
    const { registry = '', reason, text } = failure;
    if (isKnown(`${reason} ${registry}`)) {
      log.debug('Broker: no login again', { err: text });
      return;
    }
    log.error('Broker: no login', { err: text });
    // Nothing waits for it.
    deps
      .writeEvent?.({ type: 'Warning', reason: 'RegistryLoginFailed', message: messageOf(failure) })
      .catch((error: unknown) => {
        log.debug('RegistryLoginFailed was not reported', failureFields(error));
      });
  };
}

function messageOf({ registry, serviceAccount, text }: LoginFailure): string {
  const account = serviceAccount === undefined ? '' : ` for service account ${serviceAccount}`;
  return registry === undefined ? `no registry login: ${text}` : `no login to ${registry}${account}: ${text}`;
}
