import { systemClock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import type { Log } from '../lib/log/log.ts';
import type { Cluster } from './node-controller/cluster.ts';
import type { EnabledCloud } from './node-controller/ownership.ts';
import type { Leadership } from './leader-election/term.ts';
import type { ControllerFlags } from './options.ts';
import { createRouteController } from './route-controller/controller.ts';
import type { RouteController } from './route-controller/controller.ts';
import type { RouteMetrics } from './route-controller/state.ts';
import { hasRoutes } from './route-controller/routed-node.ts';
import type { ControllerRuntime } from './runtime.ts';

/** It gets the Nodes of the node controller's watch. `undefined`: no routes are kept. */
export interface RunningRouteController {
  readonly controller: RouteController;
  lead(leadership: Leadership, cluster: Cluster): Promise<void>;
}

export function startRouteController(
  { runtime, flags }: { readonly runtime: ControllerRuntime; readonly flags: ControllerFlags },
  metrics: RouteMetrics,
): RunningRouteController | undefined {
  const { clouds, log } = runtime;
  if (flags.routes === undefined || !flags.controllers.route) return undefined;
  checkClouds(clouds, log);
  const controller = createRouteController({
    clouds,
    settings: { ...flags.routes, dryRun: flags.dryRun },
    clock: systemClock,
    random: Math.random,
    log,
    metrics,
    contextFor: runtime.contextFor,
  });
  return {
    controller,
    lead: (leadership, cluster) => controller.lead(leadership.signal, cluster, () => leadership.mayWrite()),
  };
}

/** With several clouds, one may have its own way of routing. With none there is nothing to do, which must not be silent. */
function checkClouds(clouds: readonly EnabledCloud[], log: Log): void {
  const without = clouds.filter((cloud) => !hasRoutes(cloud)).map(({ name }) => name);
  if (without.length === clouds.length) {
    throw new Failure(
      'misconfigured',
      `--configure-cloud-routes: ${without.join(', ')} has no routes as it is configured`,
      {
        remedy: 'name the route tables in the configuration as docs/guides/routes.md shows, or leave the flag out',
      },
    );
  }
  if (without.length > 0) log.info('No routes are kept for a cloud', { clouds: without });
}
