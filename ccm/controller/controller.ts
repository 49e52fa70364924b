import type { NodeUid } from '../../clouds/index.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { ownershipOf } from '../node/ownership.ts';
import { isOlder } from '../../lib/node/still.ts';
import { nobodys } from '../cluster/nobodys.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { dueGroups } from './batches.ts';
import type { Dependencies } from './dependencies.ts';
import { createTimetable } from './due.ts';
import type { Timetable } from './due.ts';
import { describeError, runInBackground } from './background.ts';
import { dueAfterChange, keptTrackOf, observeChange, wakeIfDue } from './changes.ts';
import { createScopes } from './scopes.ts';
import type { Scopes } from './scopes.ts';
import { beginTracking, groupKeyOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';
import { work } from './work.ts';

/** Keeps the Nodes of the cluster true to their instances, for as long as it leads. */
export interface Controller {
  /** A Node is there, or has changed. */
  see(node: Node): void;
  /** A Node is no longer there. */
  forget(uid: NodeUid): void;
  /** Everything known from earlier is forgotten first: what was seen under another lead proves nothing. */
  lead(signal: AbortSignal, cluster: Cluster): Promise<void>;
  nodes(): ReadonlyMap<NodeUid, Tracked>;
  scopes(): Scopes;
}

export interface State {
  dependencies: Dependencies;
  readonly nodes: Map<NodeUid, Tracked>;
  readonly timetable: Timetable;
  scopes: Scopes;
  leading: boolean;
  /** What a lead has begun and has to see ended. */
  readonly underWay: Set<Promise<unknown>>;
  /** When the lead looks for due Nodes again, on the monotonic clock. */
  looksAgainAtMs: number;
  /** Lets it look at once. */
  wake(): void;
}

const longestIdleMs = 1_000;
const shortestIdleMs = 10;

export function createController(outside: Omit<Dependencies, 'cluster'>): Controller {
  const dependencies = { ...outside, cluster: nobodys };
  const { settings, clock, random } = dependencies;
  const state: State = {
    dependencies,
    nodes: new Map(),
    timetable: createTimetable(settings, clock, random),
    scopes: createScopes(dependencies),
    leading: false,
    underWay: new Set(),
    looksAgainAtMs: Infinity,
    wake: () => {},
  };
  return {
    see: (node) => see(node, state),
    forget: (uid) => void state.nodes.delete(uid),
    lead: (signal, cluster) => {
      state.dependencies = { ...outside, cluster };
      return lead(state, signal);
    },
    nodes: () => state.nodes,
    scopes: () => state.scopes,
  };
}

function see(node: Node, state: State): void {
  const { clouds } = state.dependencies;
  const known = state.nodes.get(node.metadata.uid);
  if (known !== undefined && isOlder(node, known.node)) return;
  // One that becomes ours only now is as new to us as one that has just registered.
  const before = known?.ownership.kind === 'ours' ? known.node : undefined;
  const tracked = known ?? beginTracking(node, clouds);
  const places = groupKeyOf(tracked);
  tracked.node = node;
  tracked.facts = factsOf(node);
  tracked.ownership = ownershipOf(tracked.facts, clouds);
  // What was said in other places, or to others, proves nothing.
  if (groupKeyOf(tracked) !== places) delete tracked.record;
  state.nodes.set(tracked.uid, tracked);
  tracked.dueAtMs = dueAfterChange(tracked, before, state);
  if (state.leading) observeChange(tracked, state);
  wakeIfDue(tracked, state);
}

async function lead(state: State, signal: AbortSignal): Promise<void> {
  beginAgain(state);
  state.leading = true;
  for (const tracked of state.nodes.values()) observeChange(tracked, state);
  try {
    while (!signal.aborted) {
      startDue(state, signal);
      await sleepUntilDue(state, signal);
    }
  } finally {
    state.leading = false;
    await Promise.allSettled(state.underWay);
  }
}

function beginAgain(state: State): void {
  const { dependencies, nodes } = state;
  state.scopes = createScopes(dependencies);
  for (const [uid, { node }] of nodes) {
    const fresh = beginTracking(node, dependencies.clouds);
    fresh.dueAtMs = dueAfterChange(fresh, undefined, state);
    nodes.set(uid, fresh);
  }
}

function startDue(state: State, signal: AbortSignal): void {
  const { clock, settings, log } = state.dependencies;
  const nowMs = clock.monotonicMs();
  const choice = { nowMs, canaryNodes: settings.lifecycle.canaryNodes, gateOf: state.scopes.gateOf };
  for (const group of dueGroups(state.nodes.values(), choice)) {
    for (const tracked of group.members) tracked.busy = true;
    const running = work(group, state, signal).catch((error: unknown) => {
      for (const tracked of group.members) {
        tracked.busy = false;
        tracked.dueAtMs = state.timetable.afterFailure(tracked);
      }
      throw error;
    });
    runInBackground(keptTrackOf(running, state), log);
  }
}

async function sleepUntilDue(state: State, signal: AbortSignal): Promise<void> {
  const { clock } = state.dependencies;
  const woken = new AbortController();
  state.wake = () => woken.abort(new Error('woken'));
  const nowMs = clock.monotonicMs();
  let dueInMs = longestIdleMs;
  for (const { busy, dueAtMs } of state.nodes.values()) if (!busy) dueInMs = Math.min(dueInMs, dueAtMs - nowMs);
  const waitMs = Math.max(shortestIdleMs, dueInMs);
  state.looksAgainAtMs = nowMs + waitMs;
  await clock.sleep(waitMs, AbortSignal.any([signal, woken.signal])).catch(describeError);
  state.wake = () => {};
}
