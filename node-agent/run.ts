import { systemClock } from '../lib/clock.ts';
import { nodes } from '../lib/kubernetes/resources.ts';
import { watchList } from '../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../lib/kubernetes/watch/watch-list.ts';
import { usualWatchTimes } from '../lib/kubernetes/watch/watch-times.ts';
import { trimNode } from '../lib/node/trim-node.ts';
import { createMetrics } from '../lib/metrics/metrics.ts';
import { addProcessMetrics } from '../lib/metrics/process-metrics.ts';
import type { ServingSettings } from '../lib/server/settings.ts';
import type { Node } from '../schemas/kubernetes.ts';
import type { ServedBroker } from './broker/serve.ts';
import type { Ground } from './ground.ts';
import { healthChecks } from './health.ts';
import { createKeeper } from './keeper/keeper.ts';
import type { Keeper } from './keeper/keeper.ts';
import { createNews } from './keeper/news.ts';
import { createMeasures } from './measures.ts';
import { eventTeller, nodeWriter } from './node-client.ts';
import type { AgentFlags } from './options.ts';
import { statusOf, statusText } from './status.ts';
import type { Status } from './status.ts';
import { serveStatus } from './status-socket.ts';

/** Of agents that start at the same moment each waits for a part of this before it asks the API server anything. */
const startSpreadMs = 250;
/** Each end of a watch costs a request: few, but not so few that one which died unseen is missed. */
const watchTimes = { ...usualWatchTimes, shortestWatchSeconds: 600 };

/** The life of the agent: until SIGTERM. */
export async function runAgent(flags: AgentFlags, serving: ServingSettings, ground: Ground): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort(new Error(name)));
  const metrics = createMetrics();
  addProcessMetrics(metrics);
  const keeper = keeperOn(flags, ground, createMeasures(metrics), signal);
  await systemClock.sleep(Math.random() * startSpreadMs, signal).catch(() => undefined);
  const watch = watchOwnNode(flags.nodeName, keeper, ground, signal);
  let broker: ServedBroker | undefined;
  const status = (): Status =>
    statusOf({
      nodeName: flags.nodeName,
      standing: keeper.standing,
      clock: systemClock,
      apiServerHeardAtMs: watch.lastContactAtMs,
      brokerStatus: () => broker?.status(),
    });
  const services = [serveStatus(flags.statusSocket, status, ground.log), serveHealth(), handOutLogins()];
  try {
    await Promise.race([Promise.all([keeper.run(signal), ...services]), failureOf(watch.ended)]);
  } finally {
    ending.abort(new Error('the end'));
    await stopAll(services);
    ground.client.close();
  }

  /** Its code is loaded only where it is wanted: memory is counted on every node. */
  async function serveHealth(): Promise<Stop> {
    if (serving.port === 0) return () => Promise.resolve();
    const { serve } = await import('./serve.ts');
    const { client, log } = ground;
    const checks = healthChecks(keeper.standing, flags.readEveryMs, systemClock);
    const page = (): string => statusText(status());
    return serve({ serving, client, clock: systemClock, log, checks, metrics, status: page }, signal);
  }

  async function handOutLogins(): Promise<Stop> {
    const { brokerSocket: socketPath } = flags;
    if (socketPath === undefined) return () => Promise.resolve();
    const { serveBroker } = await import('./broker/serve.ts');
    const { client, log } = ground;
    const served = serveBroker({ socketPath, client, log, metrics }, signal);
    broker = served;
    return served.stop;
  }
}

type Stop = () => Promise<void>;

/** Those that came about at all. */
async function stopAll(services: readonly Promise<Stop>[]): Promise<void> {
  const started = await Promise.allSettled(services);
  await Promise.all(started.flatMap((service) => (service.status === 'fulfilled' ? [service.value()] : [])));
}

function keeperOn(
  flags: AgentFlags,
  ground: Ground,
  measures: ReturnType<typeof createMeasures>,
  signal: AbortSignal,
): Keeper {
  const { client, log, findCloud, contextFor } = ground;
  const tell = eventTeller(client, systemClock, signal);
  const news = createNews({
    tell: async (node, event) => {
      await tell(node, event);
      measures.told();
    },
    log,
  });
  return createKeeper({
    readEveryMs: flags.readEveryMs,
    clock: systemClock,
    random: Math.random,
    news,
    measures,
    writerFor: (ended) => nodeWriter(client, ended),
    findCloud,
    contextFor,
  });
}

function watchOwnNode(name: string, keeper: Keeper, { client, log }: Ground, signal: AbortSignal): WatchedList<Node> {
  let said = '';
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
        if (change.kind === 'removed') keeper.forget();
        else keeper.see(change.object);
      },
      listed: () => {
        said = '';
      },
      trouble: ({ message }) => {
        if (message === said) log.step(`watching the Node: ${message}`);
        else log.say(`watching the Node: ${message}`);
        said = message;
      },
    },
    { signal, clock: systemClock, random: Math.random },
  );
}

/** An orderly end is the others' to wait for. */
async function failureOf(ended: Promise<void>): Promise<never> {
  await ended;
  return new Promise(() => {});
}
