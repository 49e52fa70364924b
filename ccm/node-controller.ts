import { systemClock } from '../lib/clock.ts';
import { nodes } from '../lib/kubernetes/resources.ts';
import { untilAborted } from '../lib/kubernetes/until-aborted.ts';
import { watchList } from '../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../lib/kubernetes/watch/watch-list.ts';
import { defaultWatchTimes } from '../lib/kubernetes/watch/watch-times.ts';
import { createWatchFailureLog } from '../lib/log/watch-failure-log.ts';
import type { Node } from '../schemas/kubernetes.ts';
import { dryRunCluster } from './node-controller/cluster.ts';
import { createKubernetesCluster } from './node-controller/kubernetes-cluster.ts';
import type { Cluster } from './node-controller/cluster.ts';
import { createWrites } from './node-controller/writes.ts';
import { createNodeController } from './node-controller/controller.ts';
import type { NodeController } from './node-controller/controller.ts';
import type { ElectionSettings } from './leader-election/settings.ts';
import type { Leadership } from './leader-election/term.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import { createControllerMetrics, measureController } from './metrics.ts';
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
  readonly election: ElectionSettings;
  readonly lifecycle: LifecycleSettings;
  readonly signal: AbortSignal;
}

export function startNodeController({
  runtime,
  flags,
  election,
  lifecycle,
  signal,
}: NodeControllerParts): RunningNodeController {
  const { clouds, log } = runtime;
  const controller = createNodeController({
    clouds,
    settings: { ...flags, lifecycle },
    clock: systemClock,
    random: Math.random,
    log,
    metrics: createControllerMetrics(runtime.metrics),
    contextFor: runtime.contextFor,
  });
  const leaderMetrics = measureController(runtime.metrics, controller, systemClock);
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
    leaderMetrics.setLeading(true);
    try {
      // With only some of the Nodes, the breaker could not tell how large a share is missing.
      await untilAborted(listed.promise, leadership.signal);
      await controller.lead(leadership.signal, clusterFor(leadership, { runtime, flags, election }));
    } finally {
      leaderMetrics.setLeading(false);
    }
  };
  return { controller, watch, lead };
}

function clusterFor(
  leadership: Leadership,
  { runtime, flags, election }: Pick<NodeControllerParts, 'runtime' | 'flags' | 'election'>,
): Cluster {
  const { signal, maxWriteMs } = leadership;
  const limits = { atOnce: flags.writesAtOnce, perSecond: flags.writesPerSecond, burst: flags.writeBurst };
  const mayWrite = (): boolean => leadership.mayWrite();
  const writes = createWrites({ limits, clock: systemClock, signal, mayWrite });
  const { client, identity: instance } = runtime;
  const permissions = { signal, maxWriteMs, mayWrite };
  const lease = election.enabled ? { namespace: election.namespace, name: election.name } : undefined;
  const parts = { client, writes, clock: systemClock, instance, ...(lease && { lease }) };
  const cluster = createKubernetesCluster({ ...parts, ...permissions });
  return flags.dryRun ? dryRunCluster(cluster) : cluster;
}
