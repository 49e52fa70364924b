import type { Context } from '../../lib/context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import { isOlder } from '../../lib/node/same-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeCloud } from '../detect.ts';
import type { AgentMetrics } from '../metrics.ts';
import { urgencyOf } from './triggers.ts';
import type { EventReporter } from './event-reporter.ts';
import { newAgentState } from './agent-state.ts';
import type { AgentState } from './agent-state.ts';
import { nextSyncDelayMs } from './backoff.ts';
import type { SyncLog } from './sync-log.ts';
import { syncNode } from './sync-node.ts';
import type { SyncResult } from './sync-node.ts';

/** Keeps one Node in sync with its instance. */
export interface SyncLoop {
  /** The Node was created or has changed. */
  nodeChanged(node: Node): void;
  /** The Node was deleted. */
  nodeDeleted(): void;
  /** Runs until the signal is aborted, and retries after every failure. */
  run(signal: AbortSignal): Promise<void>;
  readonly state: Readonly<AgentState>;
}

export interface SyncLoopDeps {
  readonly readEveryMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly eventReporter: EventReporter;
  readonly logResult: SyncLog;
  readonly metrics: AgentMetrics;
  writerFor(signal: AbortSignal): NodeWriter;
  findCloud(context: Context): Promise<NodeCloud>;
  contextFor(signal: AbortSignal): Context;
}

/** Minimum time before a repair, so that we do not fight another writer in a tight loop. */
const repairDelayMs = 5_000;
const shortestSleepMs = 10;

export function createSyncLoop(deps: SyncLoopDeps): SyncLoop {
  const { clock } = deps;
  const state = newAgentState(clock.monotonicMs());
  let dueAtMs = 0;
  let wake = (): void => {};
  const scheduleBy = (atMs: number): void => {
    dueAtMs = Math.min(dueAtMs, atMs);
    wake();
  };

  async function sleepUntilDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (state.node === undefined || clock.monotonicMs() < dueAtMs)) {
      const woken = new AbortController();
      wake = () => woken.abort(new Error('woken'));
      const remainingMs = state.node === undefined ? deps.readEveryMs : dueAtMs - clock.monotonicMs();
      const sleepSignal = AbortSignal.any([signal, woken.signal]);
      await clock.sleep(Math.max(shortestSleepMs, remainingMs), sleepSignal).catch(() => undefined);
      state.lastLoopAtMs = clock.monotonicMs();
    }
  }

  return {
    state,
    nodeChanged: (node) => {
      const before = state.node;
      if (before?.metadata.uid === node.metadata.uid && isOlder(node, before)) return;
      state.node = node;
      const urgency = urgencyOf(node, before, state);
      if (urgency === 'now') scheduleBy(clock.monotonicMs());
      if (urgency === 'soon') scheduleBy(clock.monotonicMs() + repairDelayMs);
    },
    nodeDeleted: () => {
      state.node = undefined;
    },
    run: async (signal) => {
      await sleepUntilDue(signal);
      while (!signal.aborted) {
        dueAtMs = Infinity;
        const result = await syncOnce(state, deps, signal);
        if (result !== undefined) scheduleBy(clock.monotonicMs() + nextSyncDelayMs(result, state.failures, deps));
        await sleepUntilDue(signal);
      }
    },
  };
}

async function syncOnce(state: AgentState, deps: SyncLoopDeps, signal: AbortSignal): Promise<SyncResult | undefined> {
  const { node } = state;
  if (node === undefined) return undefined;
  const result = await syncNode(node, syncDeps(state, deps, signal), deps.contextFor(signal));
  if (signal.aborted) return undefined;
  state.lastResult = result;
  state.failures = result.kind === 'failed' ? state.failures + 1 : 0;
  await reportResult(result, node, state, deps);
  return result;
}

function syncDeps(state: AgentState, deps: SyncLoopDeps, signal: AbortSignal): Parameters<typeof syncNode>[1] {
  const { metrics, clock } = deps;
  return {
    writer: deps.writerFor(signal),
    findCloud: async (context) => (state.cloud ??= await deps.findCloud(context)),
    onMetadataRead: (instance) => {
      state.instance = instance;
      state.readAtMs = clock.monotonicMs();
      metrics.metadataRead('success');
    },
    onMetadataFailure: () => metrics.metadataRead('error'),
  };
}

async function reportResult(
  result: SyncResult,
  node: Node,
  state: AgentState,
  { eventReporter, logResult, metrics, clock }: SyncLoopDeps,
): Promise<void> {
  metrics.syncEnded(result);
  if (result.kind === 'failed') return eventReporter.syncFailed(node, result);
  if (result.kind === 'replaced') return;
  eventReporter.recovered(node);
  logResult(node, state.cloud?.name, result);
  if (result.kind !== 'synced') return;
  keepNewerNode(state, result.node);
  metrics.nodeSynced(result.writes, clock.wallMs());
  if (!result.isNew) return;
  metrics.initialized(clock.wallMs() - Date.parse(node.metadata.creationTimestamp));
  await eventReporter.report(node, { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' });
}

/** The watch may have delivered a later version already, or another Node of this name. */
function keepNewerNode(state: AgentState, written: Node): void {
  const { node } = state;
  if (node?.metadata.uid === written.metadata.uid && !isOlder(written, node)) state.node = written;
}
