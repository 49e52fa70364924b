import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { conditionFor, toCondition } from './condition.ts';
import { decideInterruption } from './decide.ts';
import type { InterruptionDecision } from './decide.ts';
import type { DrainRunner } from './drain/drain-runner.ts';
import { followClock, newestNode, restoreState } from './loop-state.ts';
import type { LoopState } from './loop-state.ts';
import { markNode } from './mark-node.ts';
import type { MarkResult } from './mark-node.ts';
import type { MarksWriter } from './marks-writer.ts';
import { planMarks } from './plan-marks.ts';
import type { InterruptionReporter } from './reporter.ts';
import type { InterruptionSettings } from './settings.ts';
import type { InterruptionState } from './state.ts';

export interface ActionDeps {
  readonly settings: InterruptionSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly writer: MarksWriter;
  readonly reporter: InterruptionReporter;
  /** As the watch delivered it. */
  node(): Node | undefined;
  /** The Node is this machine's, and the agent may write it. */
  isOwn(node: Node): boolean;
}

/** An agent that has just started knows only what an earlier one wrote. The metadata service responds soon, or not at all. */
const firstPollMs = 5_000;
const conflictRetryMs = 250;
/** If somebody removes the marks again and again, they are restored at once a few times, and then more slowly. */
const quickRestores = 3;
const restoreEveryMs = 5_000;

/** One look at everything: decide, report, mark, drain. Returns how long nothing changes by time alone. */
export async function takeAction(
  state: LoopState,
  runner: DrainRunner,
  deps: ActionDeps,
  signal: AbortSignal,
): Promise<number> {
  const { clock, reporter } = deps;
  const node = newestNode(deps.node(), state);
  if (node === undefined || !deps.isOwn(node)) {
    runner.stop(node, 'the agent must not manage this Node');
    state.decision = undefined;
    return Infinity;
  }
  if (state.restoredUid !== node.metadata.uid) {
    runner.stop(node, 'the Node was replaced');
    reporter.seed(restoreState(node, state, runner, deps));
  }
  const firstPollInMs = firstPollDueInMs(state, clock);
  if (firstPollInMs > 0) return firstPollInMs;
  followClock(state, runner, clock);
  const decision = decideInterruption(state.notices, deps.settings, clock.wallMs());
  state.decision = decision;
  runner.setOrder(decision);
  reporter.noticesChanged(node, decision.assessed);
  // Before the marks, since these may fail.
  if (decision.drain === undefined) runner.stop(node, 'the notice is over or withdrawn');
  const marked = await mark(node, stateFor(decision, runner), { state, decision, deps });
  if (typeof marked === 'number') return marked;
  if (marked.kind === 'marked') {
    // The order may be newer than these marks.
    if (decision.drain !== undefined) runner.follow(marked.node, signal);
    await writeCondition(marked.node, decision, state, deps);
  }
  return (decision.decideAgainAtMs ?? Infinity) - clock.wallMs();
}

/** Not positive: it has ended, or is late. */
function firstPollDueInMs({ hasPolled, startedAtMs }: LoopState, clock: Clock): number {
  return hasPolled ? 0 : startedAtMs + firstPollMs - clock.monotonicMs();
}

/** Ordered by id, so that it changes only with the notices. */
function stateFor(
  { assessed }: InterruptionDecision,
  runner: DrainRunner,
): Pick<InterruptionState, 'notices' | 'drain'> {
  const notices = assessed.map(({ notice }) => notice).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const drain = runner.record();
  return { notices, ...(drain !== undefined && { drain }) };
}

interface MarkContext {
  readonly state: LoopState;
  readonly decision: InterruptionDecision;
  readonly deps: ActionDeps;
}

/** Returns how long to wait if the Node cannot be marked now. */
async function mark(
  node: Node,
  kept: Pick<InterruptionState, 'notices' | 'drain'>,
  { state, decision, deps: { clock, log, writer } }: MarkContext,
): Promise<MarkResult | number> {
  const wanted = JSON.stringify([decision.taint, decision.cordon, kept]);
  const before = state.marked?.wanted === wanted ? state.marked : undefined;
  const waitMs = before === undefined ? 0 : restoreInMs(before, clock.monotonicMs());
  if (waitMs > 0 && planMarks(node, decision, kept) !== undefined) return waitMs;
  const result = await markNode(node, decision, kept, writer);
  logMarks(result, node, state, log);
  if (result.kind === 'conflict') return conflictRetryMs;
  if (result.kind === 'marked') {
    state.written = result.node;
    const restores = before === undefined ? 0 : before.restores + 1;
    if (result.changes.length > 0) state.marked = { wanted, atMs: clock.monotonicMs(), restores };
  }
  return result;
}

function restoreInMs({ atMs, restores }: NonNullable<LoopState['marked']>, nowMs: number): number {
  return restores < quickRestores ? 0 : atMs + restoreEveryMs - nowMs;
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
  { writer, clock }: ActionDeps,
): Promise<void> {
  const content = conditionFor(node, assessed);
  const text = JSON.stringify(content);
  if (content === undefined || text === state.condition) return;
  await writer.setCondition(node, toCondition(node, content, clock.wallMs()));
  state.condition = text;
}
