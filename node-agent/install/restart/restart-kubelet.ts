import { Failure } from '../../../lib/failure.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import type { HostRoot } from '../host-root.ts';
import type { HostWork } from '../host-work.ts';
import { beginAttempt, enterPhase, readPhase, writeAttempt } from './attempt.ts';
import { heartbeatOf, whyNotReady } from './confirmation.ts';
import { finishAttempt } from './finish-attempt.ts';
import type { RestartTools } from './restart-tools.ts';
import { armRollback, confirmWithinMs, prepareRollback, rollbackService } from './rollback.ts';

export interface Restarted<Result> {
  readonly result: Result;
  /** The service that was restarted. Absent: none had to be. */
  readonly service?: string;
}

/**
 * Does the work, and restarts the kubelet if it has to be, while no other node does. Before anything is changed, a timer
 * of the host is set that restores the old files and restarts the kubelet once more, unless the Node is Ready with the new
 * ones in time. What an earlier run left that was killed is brought to its end first.
 */
export async function restartWith<Result>(
  host: HostRoot,
  plan: () => HostWork<Result>,
  open: () => Promise<RestartTools>,
): Promise<Restarted<Result>> {
  if (readPhase(host) === undefined && plan().service === undefined) return withoutRestart(plan());
  const tools = await open();
  await finishAttempt(host, tools);
  const { service } = plan();
  if (service === undefined) return withoutRestart(plan());
  // Without the turn: others need not wait for this Node.
  await untilHealthy(host, service, tools);
  beginAttempt(host);
  try {
    await tools.lease.acquire();
    // While this node waited, the host may have changed.
    return await attemptRestart(host, plan(), tools);
  } catch (error) {
    // This error is the reason, whatever comes of the attempt; the next run goes on with it.
    await finishAttempt(host, tools).catch(() => undefined);
    throw error;
  }
}

async function withoutRestart<Result>(work: HostWork<Result>): Promise<Restarted<Result>> {
  await work.beforeChanges?.();
  work.apply();
  return { result: work.result };
}

async function attemptRestart<Result>(
  host: HostRoot,
  work: HostWork<Result>,
  tools: RestartTools,
): Promise<Restarted<Result>> {
  const { service, result } = work;
  if (service === undefined) {
    await finishAttempt(host, tools);
    return withoutRestart(work);
  }
  const node = await untilHealthy(host, service, tools);
  prepareRollback(host, work.knownGood(), service);
  const { clock, systemd } = tools;
  writeAttempt(host, { service, startedAtMs: clock.wallMs(), heartbeatBefore: heartbeatOf(node) });
  const armedAtMs = clock.monotonicMs();
  await armRollback(systemd);
  // A timer that had ended before this would have found nothing to undo.
  const isArmed = enterPhase(host, 'waiting', 'armed') && clock.monotonicMs() - armedAtMs < longestArmingMs;
  if (!isArmed) throw tooSlow();
  await work.beforeChanges?.();
  work.apply();
  if (!enterPhase(host, 'armed', 'restarting')) throw tooSlow();
  await systemd.queueRestart(service).catch(() => systemd.startUnit(rollbackService));
  if ((await finishAttempt(host, tools)) !== 'confirmed') throw tooSlow();
  return { result, service };
}

const longestArmingMs = confirmWithinMs / 2;

function tooSlow(): Failure {
  return new Failure('unavailable', 'the host was too slow to change its files in time, so the old ones are back', {
    remedy: 'try again when there is less load on it',
  });
}

const longestUnhealthyMs = 60_000;
const lookEveryMs = 1_000;

/** A new Node becomes Ready soon, and a kubelet that has just started reports for a moment that it is not. */
async function untilHealthy(host: HostRoot, service: string, tools: RestartTools): Promise<Node> {
  const { clock, signal } = tools;
  const endMs = clock.monotonicMs() + longestUnhealthyMs;
  for (;;) {
    try {
      return await refuseUnhealthy(host, service, tools);
    } catch (error) {
      const mayPass = error instanceof Failure && error.kind === 'unavailable';
      if (!mayPass || clock.monotonicMs() >= endMs) throw error;
      await clock.sleep(lookEveryMs, signal);
    }
  }
}

/** After a restart nobody could see whether it was the new files. */
async function refuseUnhealthy(host: HostRoot, service: string, tools: RestartTools): Promise<Node> {
  const unit = await tools.systemd.unitState(service);
  const { active = 'not a service of the host' } = unit ?? {};
  if (active !== 'active') throw notRestarted('unavailable', `${service} is ${active}`, 'start it first');
  const node = await tools.readNode();
  if (node === 'absent') throw notRestarted('misconfigured', 'there is no Node of this name', 'check --node-name');
  const why = whyNotReady(node);
  if (why !== undefined) throw notRestarted('unavailable', why, 'make the Node Ready first');
  const bootId = host.readText('/proc/sys/kernel/random/boot_id')?.trim();
  if (node.status.nodeInfo?.bootID === bootId) return node;
  const other = `Node ${tools.nodeName} is another machine`;
  throw notRestarted('misconfigured', other, 'give the name of this machine with --node-name');
}

function notRestarted(kind: 'unavailable' | 'misconfigured', why: string, remedy: string): Failure {
  return new Failure(kind, `the kubelet is not restarted: ${why}`, { remedy });
}
