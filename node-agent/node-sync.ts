import { systemClock } from '../lib/clock.ts';
import { nodes } from '../lib/kubernetes/resources.ts';
import { watchList } from '../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../lib/kubernetes/watch/watch-list.ts';
import { usualWatchTimes } from '../lib/kubernetes/watch/watch-times.ts';
import { logWatchTrouble } from '../lib/log/watch-trouble.ts';
import type { Metrics } from '../lib/metrics/metrics.ts';
import { dryRunWriter } from '../lib/node/dry-run-writer.ts';
import { trimNode } from '../lib/node/trim-node.ts';
import type { Node } from '../schemas/kubernetes.ts';
import type { Ground } from './ground.ts';
import { createKeeper } from './keeper/keeper.ts';
import type { Keeper } from './keeper/keeper.ts';
import { createNews } from './keeper/news.ts';
import { createTurnLog } from './keeper/turn-log.ts';
import type { Standing } from './keeper/standing.ts';
import { createMeasures } from './measures.ts';
import { eventTeller, nodeWriter } from './node-client.ts';
import type { AgentFlags } from './options.ts';

/** The part of the agent that keeps its Node in sync with the machine. */
export interface NodeSync {
  readonly standing: Readonly<Standing>;
  apiServerHeardAtMs(): number | undefined;
  /** Until the signal ends it; rejects when the Node can no longer be watched. */
  readonly ended: Promise<void>;
}

/** Each end of a watch costs a request: few, but not so few that one which died unseen is missed. */
const watchTimes = { ...usualWatchTimes, shortestWatchSeconds: 600 };

export function startNodeSync(flags: AgentFlags, ground: Ground, metrics: Metrics, signal: AbortSignal): NodeSync {
  const keeper = keeperOn(flags, ground, createMeasures(metrics), signal);
  const watch = watchOwnNode(flags.nodeName, keeper, ground, signal);
  return {
    standing: keeper.standing,
    apiServerHeardAtMs: watch.lastContactAtMs,
    ended: Promise.race([keeper.run(signal), failureOf(watch.ended)]),
  };
}

function keeperOn(
  flags: AgentFlags,
  ground: Ground,
  measures: ReturnType<typeof createMeasures>,
  signal: AbortSignal,
): Keeper {
  const { client, log, findCloud, contextFor } = ground;
  const tell = eventTeller(client, systemClock, signal);
  const tellAndCount: typeof tell = async (node, event) => {
    await tell(node, event);
    measures.told();
  };
  const news = createNews({ tell: flags.dryRun ? () => Promise.resolve() : tellAndCount, log });
  return createKeeper({
    readEveryMs: flags.readEveryMs,
    clock: systemClock,
    random: Math.random,
    news,
    logTurn: createTurnLog(log),
    measures,
    writerFor: (ended) => {
      const writer = nodeWriter(client, ended);
      return flags.dryRun ? dryRunWriter(writer) : writer;
    },
    findCloud,
    contextFor,
  });
}

function watchOwnNode(name: string, keeper: Keeper, { client, log }: Ground, signal: AbortSignal): WatchedList<Node> {
  const watchTrouble = logWatchTrouble(log, systemClock);
  return watchList(
    {
      client,
      resource: nodes,
      selection: { fieldSelector: `metadata.name=${name}` },
      keep: trimNode,
      times: watchTimes,
    },
    {
      changed: (change) => {
        watchTrouble.heard();
        if (change.kind === 'removed') keeper.forget();
        else keeper.see(change.object);
      },
      listed: watchTrouble.heard,
      trouble: watchTrouble.trouble,
    },
    { signal, clock: systemClock, random: Math.random },
  );
}

/** An orderly end is the others' to wait for. */
async function failureOf(ended: Promise<void>): Promise<never> {
  await ended;
  return new Promise(() => {});
}
