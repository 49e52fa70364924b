import { systemClock } from '../lib/clock.ts';
import { nodes } from '../lib/kubernetes/resources.ts';
import { untilAborted } from '../lib/kubernetes/until-aborted.ts';
import { watchList } from '../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../lib/kubernetes/watch/watch-list.ts';
import { defaultWatchTimes } from '../lib/kubernetes/watch/watch-times.ts';
import { createWatchFailureLog } from '../lib/log/watch-failure-log.ts';
import type { Metrics } from '../lib/metrics/metrics.ts';
import type { Node } from '../schemas/kubernetes.ts';
import { dryRunCluster } from './node-controller/cluster.ts';
import { createKubernetesCluster } from './node-controller/kubernetes-cluster.ts';
import type { Cluster } from './node-controller/cluster.ts';
import { createWrites } from './node-controller/writes.ts';
import { createNodeController } from './node-controller/controller.ts';
import type { NodeController } from './node-controller/controller.ts';
import type { Leadership } from './leader-election/term.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import { createControllerMetrics } from './metrics.ts';
import type { ControllerFlags } from './options.ts';
import type { ControllerRuntime } from './runtime.ts';
import { trimNode } from '../lib/node/trim-node.ts';

/** Followers run the Node watch too, so that a new leader knows the Nodes already. */
export interface RunningNodeController {
  readonly controller: NodeController;
  readonly watch: WatchedList<Node>;
  lead(leadership: Leadership): Promise<void>;
}

export interface NodeControllerParts {
  readonly runtime: ControllerRuntime;
  readonly flags: ControllerFlags;
  readonly lifecycle: LifecycleSettings;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

export function startNodeController({
  runtime,
  flags,
  lifecycle,
  metrics,
  signal,
}: NodeControllerParts): RunningNodeController {
  const { clouds, log } = runtime;
  const controller = createNodeController({
    clouds,
    settings: { ...flags, lifecycle },
    clock: systemClock,
    random: Math.random,
    log,
    metrics: createControllerMetrics(
      metrics,
      clouds.map(({ name }) => name),
    ),
    contextFor: runtime.contextFor,
  });
  const watchFailures = createWatchFailureLog(log, systemClock);
  const listed = Promise.withResolvers<undefined>();
  const watch = watchList(
    { client: runtime.client, resource: nodes, selection: {}, transform: trimNode, times: defaultWatchTimes },
    {
      changed: (change) => {
        watchFailures.recovered();
        if (change.kind === 'removed') controller.nodeRemoved(change.object.metadata.uid);
        else controller.nodeChanged(change.object);
      },
      listed: () => {
        watchFailures.recovered();
        listed.resolve(undefined);
      },
      failed: watchFailures.failed,
    },
    { signal, clock: systemClock, random: Math.random },
  );
  const lead = async (leadership: Leadership): Promise<void> => {
    // With only some of the Nodes, the breaker could not tell how large a share is missing.
    await untilAborted(listed.promise, leadership.signal);
    await controller.lead(leadership.signal, clusterFor(leadership, { runtime, flags }));
  };
  return { controller, watch, lead };
}

function clusterFor(
  leadership: Leadership,
  { runtime, flags }: Pick<NodeControllerParts, 'runtime' | 'flags'>,
): Cluster {
  const { signal, maxWriteMs } = leadership;
  const limits = { atOnce: flags.writesAtOnce, perSecond: flags.writesPerSecond, burst: flags.writeBurst };
  const mayWrite = (): boolean => leadership.mayWrite();
  const writes = createWrites({ limits, clock: systemClock, signal, mayWrite });
  const { client, identity: instance } = runtime;
  const permissions = { signal, maxWriteMs, mayWrite };
  const cluster = createKubernetesCluster({ client, writes, clock: systemClock, instance, ...permissions });
  return flags.dryRun ? dryRunCluster(cluster) : cluster;
}
