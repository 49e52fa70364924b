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
import { startRouteController } from './route-controller.ts';
import type { RouteController } from './route-controller/controller.ts';
import type { ControllerRuntime } from './runtime.ts';
import { trimNode } from '../lib/node/trim-node.ts';

/** Followers run the Node watch too, so that a new leader knows the Nodes already. */
export interface RunningNodeController {
  readonly controller: NodeController;
  /** Absent: no routes are kept. */
  readonly routes?: RouteController;
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
  const metrics = createControllerMetrics(runtime.metrics);
  const routes = startRouteController({ runtime, flags }, metrics);
  const controller = createNodeController({
    clouds,
    settings: { ...flags, lifecycle },
    clock: systemClock,
    random: Math.random,
    log,
    metrics,
    contextFor: runtime.contextFor,
  });
  const leaderMetrics = measureController(
    runtime.metrics,
    { nodes: controller, routes: routes?.controller },
    systemClock,
  );
  const watchFailures = createWatchFailureLog(log, systemClock);
  const listed = Promise.withResolvers<undefined>();
  const watch = watchList(
    { client: runtime.client, resource: nodes, selection: {}, transform: trimNode, times: defaultWatchTimes },
    {
      changed: (change) => {
        watchFailures.recovered();
        for (const each of [controller, routes?.controller]) {
          if (change.kind === 'removed') each?.nodeRemoved(change.object.metadata.uid);
          else each?.nodeChanged(change.object);
        }
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
      const [cluster, routeCluster] = clustersFor(leadership, { runtime, flags, election });
      await Promise.all([controller.lead(leadership.signal, cluster), routes?.lead(leadership, routeCluster)]);
    } finally {
      leaderMetrics.setLeading(false);
    }
  };
  return { controller, ...(routes && { routes: routes.controller }), watch, lead };
}

/** As upstream's controllers call themselves in events, so that what watches for their events keeps working. */
const components = { nodes: 'cloud-node-controller', routes: 'route_controller' };

/** For Nodes, and for routes. They share the limit of writes. */
function clustersFor(
  leadership: Leadership,
  { runtime, flags, election }: Pick<NodeControllerParts, 'runtime' | 'flags' | 'election'>,
): readonly [Cluster, Cluster] {
  const { signal, maxWriteMs } = leadership;
  const limits = { atOnce: flags.writesAtOnce, perSecond: flags.writesPerSecond, burst: flags.writeBurst };
  const mayWrite = (): boolean => leadership.mayWrite();
  const writes = createWrites({ limits, clock: systemClock, signal, mayWrite });
  const { client, identity: instance } = runtime;
  const permissions = { signal, maxWriteMs, mayWrite };
  const lease = election.enabled ? { namespace: election.namespace, name: election.name } : undefined;
  const parts = { client, writes, clock: systemClock, instance, ...(lease && { lease }) };
  const clusterOf = (component: string): Cluster => {
    const cluster = createKubernetesCluster({ ...parts, ...permissions, component });
    return flags.dryRun ? dryRunCluster(cluster) : cluster;
  };
  return [clusterOf(components.nodes), clusterOf(components.routes)];
}
