import { Failure } from '../../../lib/failure.ts';
import { KubernetesError } from '../../../lib/kubernetes/kubernetes-error.ts';
import type { HostRoot } from '../host-root.ts';
import type { Systemd } from '../systemd/systemd.ts';
import { endAttempt, enterPhase, readAttempt, readPhase } from './attempt.ts';
import type { Attempt, Phase } from './attempt.ts';
import { whyNotReported, whyNotRunning } from './confirmation.ts';
import { clearFailure } from './install-lease.ts';
import type { RestartTools } from './restart-tools.ts';
import { confirmWithinMs, disarmRollback, rollbackService } from './rollback.ts';

/** Brings an attempt to its end, also one of an earlier run. Throws if the kubelet was not confirmed. */
export async function finishAttempt(host: HostRoot, tools: RestartTools): Promise<Phase | undefined> {
  const { systemd, lease, nodeName } = tools;
  let why: string | undefined;
  for (let phase = readPhase(host); phase !== undefined; phase = readPhase(host)) {
    if (phase === 'restarting') why = await confirm(host, tools);
    else if (phase === 'armed' || phase === 'undoing' || phase === 'restoring') await rollBack(systemd);
    else {
      await disarmRollback(host, systemd);
      const reason = why === undefined ? '' : ` (${why})`;
      const text = `node ${nodeName}: the kubelet was not Ready with the new files in 60 s${reason}; the old ones are back`;
      await untilWritten(() => (phase === 'restored' ? lease.fail(text) : lease.release()), tools);
      endAttempt(host);
      if (phase !== 'restored') return phase;
      throw new Failure('misconfigured', text, {
        remedy: `see the kubelet's log; when that is corrected, \`${clearFailure}\``,
      });
    }
  }
  return undefined;
}

async function rollBack(systemd: Systemd): Promise<void> {
  await systemd.reload();
  await systemd.startUnit(rollbackService);
}

/** If the host's timer is lost, the rollback starts without it. */
const timerMarginMs = 15_000;
const lookEveryMs = 1_000;

/** Returns when the phase is another one, with the last reason why the restart is not confirmed. */
async function confirm(host: HostRoot, tools: RestartTools): Promise<string | undefined> {
  const { clock, signal, systemd } = tools;
  const attempt = readAttempt(host);
  const endMs = clock.monotonicMs() + confirmWithinMs + timerMarginMs;
  let why: string | undefined;
  while (readPhase(host) === 'restarting') {
    why = await whyNotYet(attempt, tools);
    if (why === undefined) enterPhase(host, 'restarting', 'confirmed');
    else if (clock.monotonicMs() >= endMs) await rollBack(systemd);
    else await clock.sleep(lookEveryMs, signal);
  }
  return why;
}

async function whyNotYet(attempt: Attempt, { systemd, readNode, clock }: RestartTools): Promise<string | undefined> {
  const unit = await systemd.unitState(attempt.service);
  const why = whyNotRunning(unit, attempt, clock.wallMs());
  if (why !== undefined) return why;
  // The API server may be on this node.
  const node = await readNode().catch(() => 'unread' as const);
  return whyNotReported(node, attempt, unit?.mainStartedAtMs ?? 0);
}

const retryEveryMs = 5_000;
const longestRetryMs = 300_000;

/** The API server may be on this node. If it does not come back, the next run goes on here. */
async function untilWritten(write: () => Promise<void>, { clock, signal }: RestartTools): Promise<void> {
  const endMs = clock.monotonicMs() + longestRetryMs;
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      const isTemporary =
        error instanceof KubernetesError && (error.kind === 'unavailable' || error.kind === 'throttled');
      if (!isTemporary || clock.monotonicMs() >= endMs) throw error;
      await clock.sleep(retryEveryMs, signal);
    }
  }
}
