import type { NoticePoll } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { openFailureLog } from '../../lib/log/failure-log.ts';
import type { FailureLog } from '../../lib/log/failure-log.ts';
import type { Log } from '../../lib/log/log.ts';
import { isOlder } from '../../lib/node/same-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { createAlarm } from './alarm.ts';
import { conditionFor, toCondition } from './condition.ts';
import { decideInterruption } from './decide.ts';
import type { InterruptionDecision, KnownNotice } from './decide.ts';
import { createDrainRunner } from './drain/drain-runner.ts';
import type { DrainRunner, DrainRunnerDeps } from './drain/drain-runner.ts';
import { markNode } from './mark-node.ts';
import type { MarkResult } from './mark-node.ts';
import type { MarksWriter } from './marks-writer.ts';
import { mergeNotices } from './merge-notices.ts';
import type { InterruptionMetrics } from './metrics.ts';
import type { InterruptionReporter } from './reporter.ts';
import type { InterruptionSettings } from './settings.ts';
import { readState } from './state.ts';

/** Marks the Node as its notices require, and drains it. */
export interface InterruptionLoop {
  /** The Node was created, has changed or was deleted. */
  nodeChanged(): void;
  polled(poll: NoticePoll): void;
  /** Runs until the signal is aborted, and retries after every failure. What is marked stays. */
  run(signal: AbortSignal): Promise<void>;
  decision(): InterruptionDecision | undefined;
  readonly drain: Pick<DrainRunner, 'order' | 'progress'>;
}

export interface InterruptionLoopDeps extends Pick<DrainRunnerDeps, 'drain' | 'acknowledge'> {
  readonly settings: InterruptionSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly writer: MarksWriter;
  readonly reporter: InterruptionReporter;
  readonly metrics: InterruptionMetrics;
  /** As the watch delivered it. */
  node(): Node | undefined;
  /** The Node is this machine's, and the agent may write it. */
  isOwn(node: Node): boolean;
}

interface LoopState {
  notices: readonly KnownNotice[];
  decision: InterruptionDecision | undefined;
  /** After our own last write. The watch may deliver it later. */
  written: Node | undefined;
  /** The Node whose state was restored. */
  restoredUid: string | undefined;
  /** What was written last as the condition, and as the plan of a dry run. */
  condition: string | undefined;
  planned: string | undefined;
  failures: number;
}

const firstRetryMs = 250;
/** The machine may be about to go. */
const longestRetryMs = 2_000;

export function createInterruptionLoop(deps: InterruptionLoopDeps): InterruptionLoop {
  const { settings, clock, metrics } = deps;
  const alarm = createAlarm(clock);
  const runner = createDrainRunner({ ...deps, marginMs: settings.marginMs, onEnd: alarm.ring });
  const state = newState();
  const failureLog = openMarkFailureLog(deps);

  /** Returns how long to wait. */
  async function tryToAct(signal: AbortSignal): Promise<number> {
    try {
      const waitMs = await act(state, runner, deps, signal);
      failureLog.recovered();
      state.failures = 0;
      return waitMs;
    } catch (error) {
      if (!signal.aborted) failureLog.failed(failureFields(error));
      state.failures += 1;
      return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(state.failures, 10));
    }
  }

  return {
    decision: () => state.decision,
    drain: runner,
    nodeChanged: alarm.ring,
    polled: (poll) => {
      const known = new Set(state.notices.map(({ id }) => id));
      state.notices = mergeNotices(state.notices, poll, clock.wallMs());
      for (const { id, effect } of state.notices) if (!known.has(id)) metrics.noticeAnnounced(effect);
      alarm.ring();
    },
    run: async (signal) => {
      while (!signal.aborted) await alarm.wait(await tryToAct(signal), signal);
      await runner.ended();
    },
  };
}

function newState(): LoopState {
  return {
    notices: [],
    decision: undefined,
    written: undefined,
    restoredUid: undefined,
    condition: undefined,
    planned: undefined,
    failures: 0,
  };
}

function openMarkFailureLog({ clock, log, node }: InterruptionLoopDeps): FailureLog {
  const fields = (): { readonly node: string } => ({ node: node()?.metadata.name ?? '' });
  return openFailureLog({
    clock,
    logFailure: (failure) => log.standard('nodeMarkFailing', { ...fields(), ...failure }),
    logRepeatedFailure: (failure) => log.debug('Node cannot be marked yet', { ...fields(), ...failure }),
    logRecovery: () => log.info('Node can be marked again', fields()),
  });
}

/** One look at everything: decide, report, mark, drain. Returns how long nothing changes by time alone. */
async function act(
  state: LoopState,
  runner: DrainRunner,
  deps: InterruptionLoopDeps,
  signal: AbortSignal,
): Promise<number> {
  const { clock, settings, writer, reporter } = deps;
  const node = newestNode(deps.node(), state.written);
  if (node === undefined || !deps.isOwn(node)) {
    runner.stop(node, 'the agent must not manage this Node');
    return Infinity;
  }
  restoreState(node, state, runner, reporter);
  const decision = decideInterruption(state.notices, settings, clock.wallMs());
  state.decision = decision;
  runner.setOrder(decision.drain);
  reporter.noticesChanged(node, decision.assessed);
  const notices = state.notices.filter((each) => decision.assessed.some(({ notice }) => notice.id === each.id));
  const record = runner.record();
  const marked = await markNode(node, decision, { notices, ...(record && { drain: record }) }, writer);
  logMarks(marked, node, state, deps.log);
  if (marked.kind === 'conflict') return firstRetryMs;
  if (marked.kind === 'marked') {
    state.written = marked.node;
    runner.follow(marked.node, signal);
    await writeCondition(marked.node, decision, state, deps);
  }
  return (decision.decideAgainAtMs ?? Infinity) - clock.wallMs();
}

function newestNode(watched: Node | undefined, written: Node | undefined): Node | undefined {
  if (watched === undefined || written === undefined) return watched;
  return watched.metadata.uid === written.metadata.uid && isOlder(watched, written) ? written : watched;
}

/** An earlier agent may have left marks, or a Node of the same name may have replaced the last one. */
function restoreState(node: Node, state: LoopState, runner: DrainRunner, reporter: InterruptionReporter): void {
  const { uid } = node.metadata;
  if (state.restoredUid === uid) return;
  runner.stop(node, 'the Node was replaced');
  const { notices, drain } = readState(node);
  const restored = notices.filter(({ id }) => !state.notices.some((known) => known.id === id));
  reporter.seed(restored);
  state.notices = [...state.notices, ...restored];
  state.condition = undefined;
  state.restoredUid = uid;
  runner.restore(drain);
}

function logMarks(marked: MarkResult, { metadata: { name } }: Node, state: LoopState, log: Log): void {
  if (marked.kind === 'marked' && marked.changes.length > 0) {
    log.standard('nodeMarked', { node: name, changes: marked.changes });
  }
  if (marked.kind !== 'planned') return;
  const planned = marked.changes.join(', ');
  if (planned !== state.planned) log.standard('nodeMarkPlanned', { node: name, changes: marked.changes });
  state.planned = planned;
}

async function writeCondition(
  node: Node,
  { assessed }: InterruptionDecision,
  state: LoopState,
  { writer, clock }: InterruptionLoopDeps,
): Promise<void> {
  const content = conditionFor(node, assessed);
  const text = JSON.stringify(content);
  if (content === undefined || text === state.condition) return;
  await writer.setCondition(node, toCondition(content, clock.wallMs()));
  state.condition = text;
}
