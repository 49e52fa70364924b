import { systemClock } from '../lib/clock.ts';
import { nodes } from '../lib/kubernetes/resources.ts';
import { untilAborted } from '../lib/kubernetes/until-aborted.ts';
import { watchList } from '../lib/kubernetes/watch/watch-list.ts';
import type { WatchedList } from '../lib/kubernetes/watch/watch-list.ts';
import { usualWatchTimes } from '../lib/kubernetes/watch/watch-times.ts';
import { logWatchTrouble } from '../lib/log/watch-trouble.ts';
import type { Metrics } from '../lib/metrics/metrics.ts';
import type { Node } from '../schemas/kubernetes.ts';
import { withoutWrites } from './cluster/dry-run.ts';
import { createKubernetesCluster } from './cluster/kubernetes-cluster.ts';
import type { Cluster } from './cluster/cluster.ts';
import { createWrites } from './cluster/writes.ts';
import { createController } from './controller/controller.ts';
import type { Controller } from './controller/controller.ts';
import type { Leadership } from './leader-election/term.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import { createMeasures } from './measures.ts';
import type { ControllerFlags } from './options.ts';
import type { Ground } from './start.ts';
import { trimNode } from '../lib/node/trim-node.ts';

/** The controller with its eyes open, whether it leads or not: a follower that takes over knows the Nodes already. */
export interface Running {
  readonly controller: Controller;
  readonly watch: WatchedList<Node>;
  lead(leadership: Leadership): Promise<void>;
}

export interface RunParts {
  readonly ground: Ground;
  readonly flags: ControllerFlags;
  readonly lifecycle: LifecycleSettings;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

export function startController({ ground, flags, lifecycle, metrics, signal }: RunParts): Running {
  const { clouds, log } = ground;
  const controller = createController({
    clouds,
    settings: { ...flags, lifecycle },
    clock: systemClock,
    random: Math.random,
    log,
    measures: createMeasures(
      metrics,
      clouds.map(({ name }) => name),
    ),
    contextFor: ground.contextFor,
  });
  const watchTrouble = logWatchTrouble(log, systemClock);
  const listed = Promise.withResolvers<undefined>();
  const watch = watchList(
    { client: ground.client, resource: nodes, selection: {}, keep: trimNode, times: usualWatchTimes },
    {
      changed: (change) => {
        watchTrouble.heard();
        if (change.kind === 'removed') controller.forget(change.object.metadata.uid);
        else controller.see(change.object);
      },
      listed: () => {
        watchTrouble.heard();
        listed.resolve(undefined);
      },
      trouble: watchTrouble.trouble,
    },
    { signal, clock: systemClock, random: Math.random },
  );
  const lead = async (leadership: Leadership): Promise<void> => {
    // Half of the Nodes would take as many questions as all, and no share of them could be told.
    await untilAborted(listed.promise, leadership.signal);
    await controller.lead(leadership.signal, clusterFor(leadership, { ground, flags }));
  };
  return { controller, watch, lead };
}

function clusterFor(leadership: Leadership, { ground, flags }: Pick<RunParts, 'ground' | 'flags'>): Cluster {
  const { signal, longestWriteMs } = leadership;
  const limits = { atOnce: flags.writesAtOnce, perSecond: flags.writesPerSecond, burst: flags.writeBurst };
  const mayWrite = (): boolean => leadership.mayWrite();
  const writes = createWrites({ limits, clock: systemClock, signal, mayWrite });
  const { client, identity: instance } = ground;
  const rights = { signal, longestWriteMs, mayWrite };
  const cluster = createKubernetesCluster({ client, writes, clock: systemClock, instance, ...rights });
  return flags.dryRun ? withoutWrites(cluster) : cluster;
}
