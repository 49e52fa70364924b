import type { NodeUid } from '../../clouds/index.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { ownershipOf } from './ownership.ts';
import { isOlder } from '../../lib/node/same-node.ts';
import { notLeading } from './cluster.ts';
import type { Cluster } from './cluster.ts';
import { dueBatches } from './batches.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { createSchedule } from './schedule.ts';
import { dueAfterChange, observeChange, wakeIfDue } from './changes.ts';
import { createScopes } from './scopes.ts';
import type { Scopes } from './scopes.ts';
import { trackNode, batchKeyOf, readyAtMs } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';
import { processBatch } from './process-batch.ts';
import { runTask } from './state.ts';
import type { ControllerState } from './state.ts';

/** Keeps the Nodes of the cluster in sync with their instances while it leads. */
export interface NodeController {
  /** A Node was created or has changed. */
  nodeChanged(node: Node): void;
  /** A Node was deleted. */
  nodeRemoved(uid: NodeUid): void;
  /** Forgets everything first: observations from before this leadership prove nothing. */
  lead(signal: AbortSignal, cluster: Cluster): Promise<void>;
  nodes(): ReadonlyMap<NodeUid, TrackedNode>;
  scopes(): Scopes;
}

const maxIdleMs = 1_000;
const minIdleMs = 10;

export function createNodeController(parts: Omit<ControllerDependencies, 'cluster'>): NodeController {
  const dependencies = { ...parts, cluster: notLeading };
  const { settings, clock, random } = dependencies;
  const state: ControllerState = {
    dependencies,
    nodes: new Map(),
    schedule: createSchedule(settings, clock, random),
    scopes: createScopes(dependencies),
    leading: false,
    runningTasks: new Set(),
    looksAgainAtMs: Infinity,
    wake: () => {},
  };
  return {
    nodeChanged: (node) => nodeChanged(node, state),
    nodeRemoved: (uid) => void state.nodes.delete(uid),
    lead: (signal, cluster) => {
      state.dependencies = { ...parts, cluster };
      return lead(state, signal);
    },
    nodes: () => state.nodes,
    scopes: () => state.scopes,
  };
}

function nodeChanged(node: Node, state: ControllerState): void {
  const { clouds } = state.dependencies;
  const known = state.nodes.get(node.metadata.uid);
  if (known !== undefined && isOlder(node, known.node)) return;
  // A Node that becomes ours only now is new to us.
  const before = known?.ownership.kind === 'ours' ? known.node : undefined;
  const tracked = known ?? trackNode(node, clouds);
  const batchKey = batchKeyOf(tracked);
  tracked.node = node;
  tracked.facts = factsOf(node);
  tracked.ownership = ownershipOf(tracked.facts, clouds);
  // Results from other scopes prove nothing, and their rate limits do not apply.
  if (batchKeyOf(tracked) !== batchKey) {
    delete tracked.record;
    tracked.heldUntilMs = 0;
  }
  state.nodes.set(tracked.uid, tracked);
  tracked.dueAtMs = dueAfterChange(tracked, before, state);
  if (state.leading) observeChange(tracked, state);
  wakeIfDue(tracked, state);
}

async function lead(state: ControllerState, signal: AbortSignal): Promise<void> {
  resetState(state);
  state.leading = true;
  for (const tracked of state.nodes.values()) observeChange(tracked, state);
  try {
    while (!signal.aborted) {
      startDueBatches(state, signal);
      await sleepUntilDue(state, signal);
    }
  } finally {
    state.leading = false;
    await Promise.allSettled(state.runningTasks);
  }
}

function resetState(state: ControllerState): void {
  const { dependencies, nodes } = state;
  state.scopes = createScopes(dependencies);
  for (const [uid, { node }] of nodes) {
    const fresh = trackNode(node, dependencies.clouds);
    fresh.dueAtMs = dueAfterChange(fresh, undefined, state);
    nodes.set(uid, fresh);
  }
}

function startDueBatches(state: ControllerState, signal: AbortSignal): void {
  const { clock } = state.dependencies;
  const nowMs = clock.monotonicMs();
  const conditions = { nowMs, rateLimiterOf: state.scopes.rateLimiterOf };
  for (const batch of dueBatches(state.nodes.values(), conditions)) {
    for (const tracked of batch.members) tracked.busy = true;
    const task = processBatch(batch, state, signal).catch((error: unknown) => {
      for (const tracked of batch.members) {
        tracked.busy = false;
        tracked.dueAtMs = state.schedule.afterFailure(tracked);
      }
      throw error;
    });
    runTask(task, state);
  }
}

async function sleepUntilDue(state: ControllerState, signal: AbortSignal): Promise<void> {
  const { clock } = state.dependencies;
  const wakeUp = new AbortController();
  state.wake = () => wakeUp.abort(new Error('woken'));
  const nowMs = clock.monotonicMs();
  let dueInMs = maxIdleMs;
  for (const tracked of state.nodes.values()) dueInMs = Math.min(dueInMs, readyAtMs(tracked) - nowMs);
  const waitMs = Math.max(minIdleMs, dueInMs);
  state.looksAgainAtMs = nowMs + waitMs;
  await clock.sleep(waitMs, AbortSignal.any([signal, wakeUp.signal])).catch(() => undefined);
  state.wake = () => {};
}
