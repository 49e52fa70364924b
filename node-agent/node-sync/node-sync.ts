import { systemClock } from '../../lib/clock.ts';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { watchList } from '../../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../../lib/kubernetes/watch/watch-list.ts';
import { defaultWatchTimes } from '../../lib/kubernetes/watch/watch-times.ts';
import { createWatchFailureLog } from '../../lib/log/watch-failure-log.ts';
import { dryRunWriter } from '../../lib/node/dry-run-writer.ts';
import { trimNode } from '../../lib/node/trim-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { AgentRuntime } from '../runtime.ts';
import { createSyncLoop } from './sync-loop.ts';
import type { SyncLoop } from './sync-loop.ts';
import { createEventReporter } from './event-reporter.ts';
import { createSyncLog } from './sync-log.ts';
import type { AgentState } from './agent-state.ts';
import { createAgentMetrics } from '../metrics.ts';
import { eventWriter, nodeWriter } from './node-client.ts';
import type { AgentFlags } from '../options.ts';

/** The part of the agent that keeps its Node in sync with its instance. */
export interface NodeSync {
  readonly state: Readonly<AgentState>;
  lastApiContactAtMs(): number | undefined;
  /** The listener is called when the Node was created, has changed or was deleted; the state has it already. */
  onNodeChange(listener: () => void): void;
  /** Resolves after the signal is aborted. Rejects when the Node can no longer be watched. */
  readonly ended: Promise<void>;
}

interface WatchHooks {
  readonly signal: AbortSignal;
  onNodeChange(): void;
}

/** Each new watch costs a request, so a watch is long. It still ends, since its connection may be dead unnoticed. */
const watchTimes = { ...defaultWatchTimes, shortestWatchSeconds: 600 };

export function startNodeSync(flags: AgentFlags, runtime: AgentRuntime, signal: AbortSignal): NodeSync {
  let listener = (): void => {};
  const loop = createNodeSyncLoop(flags, runtime, createAgentMetrics(runtime.metrics), signal);
  const watch = watchOwnNode(flags.nodeName, loop, runtime, { signal, onNodeChange: () => listener() });
  return {
    state: loop.state,
    lastApiContactAtMs: watch.lastContactAtMs,
    onNodeChange: (next) => {
      listener = next;
    },
    ended: Promise.race([loop.run(signal), failureOf(watch.ended)]),
  };
}

function createNodeSyncLoop(
  flags: AgentFlags,
  runtime: AgentRuntime,
  metrics: ReturnType<typeof createAgentMetrics>,
  signal: AbortSignal,
): SyncLoop {
  const { client, log, findCloud, contextFor } = runtime;
  const writeEvent = eventWriter(client, systemClock, signal);
  const writeAndCountEvent: typeof writeEvent = async (node, event) => {
    await writeEvent(node, event);
    metrics.eventWritten();
  };
  const eventReporter = createEventReporter({
    writeEvent: flags.dryRun ? () => Promise.resolve() : writeAndCountEvent,
    log,
  });
  return createSyncLoop({
    readEveryMs: flags.readEveryMs,
    clock: systemClock,
    random: Math.random,
    eventReporter,
    logResult: createSyncLog(log),
    metrics,
    writerFor: (ended) => {
      const writer = nodeWriter(client, ended);
      return flags.dryRun ? dryRunWriter(writer) : writer;
    },
    findCloud,
    contextFor,
  });
}

function watchOwnNode(
  name: string,
  loop: SyncLoop,
  { client, log }: AgentRuntime,
  { signal, onNodeChange }: WatchHooks,
): WatchedList<Node> {
  const watchFailures = createWatchFailureLog(log, systemClock);
  return watchList(
    {
      client,
      resource: nodes,
      selection: { fieldSelector: `metadata.name=${name}` },
      transform: trimNode,
      times: watchTimes,
    },
    {
      changed: (change) => {
        watchFailures.recovered();
        if (change.kind === 'removed') loop.nodeDeleted();
        else loop.nodeChanged(change.object);
        onNodeChange();
      },
      listed: watchFailures.recovered,
      failed: watchFailures.failed,
    },
    { signal, clock: systemClock, random: Math.random },
  );
}

/** Rejects when the watch fails. Never resolves: on an orderly shutdown the sync loop decides when to return. */
async function failureOf(ended: Promise<void>): Promise<never> {
  await ended;
  return new Promise(() => {});
}
