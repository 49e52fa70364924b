import { printable } from '../../lib/printable.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { DeletionReport } from '../lifecycle/report.ts';
import type { Cluster, LeaseEvent } from './cluster.ts';
import type { ControllerDependencies, ControllerMetrics } from './dependencies.ts';
import { logCondition, logPlannedCondition } from './node-log.ts';
import type { TrackedNode } from './tracked-node.ts';

/** Writes a report about the instance to the Node's condition, then as an event. */
export async function writeReport(
  tracked: TrackedNode,
  report: DeletionReport,
  dependencies: ControllerDependencies,
): Promise<void> {
  await writeCondition(tracked, report, dependencies);
  const { kind, type, message } = report;
  await recordEvent(tracked.node, { type, reason: kind, message }, dependencies);
}

async function writeCondition(
  tracked: TrackedNode,
  { kind, clearsCondition, message }: DeletionReport,
  { cluster, clock, metrics, log }: ControllerDependencies,
): Promise<void> {
  const now = new Date(clock.wallMs()).toISOString();
  const condition: NodeCondition = {
    type: keys.instanceCondition,
    status: clearsCondition ? 'True' : 'False',
    reason: kind,
    message: printable(message),
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const written = await cluster.setCondition(tracked.node, condition);
  if (written === 'not-written') {
    logPlannedCondition(tracked, condition, log);
    return;
  }
  metrics.countWrites('condition', 1);
  logCondition(tracked, condition, log);
}

export async function recordEvent(
  node: Node,
  event: NodeEvent,
  { cluster, metrics }: ControllerDependencies,
): Promise<void> {
  countEvent(await cluster.recordEvent(node, { ...event, message: printable(event.message) }), metrics);
}

/** Nothing waits for it. */
export function recordLeaseEvent(event: LeaseEvent, { cluster, metrics, log }: ControllerDependencies): void {
  cluster.recordLeaseEvent({ ...event, message: printable(event.message) }).then(
    (written) => countEvent(written, metrics),
    (error: unknown) => log.debug(`${event.reason} was not reported`, failureFields(error)),
  );
}

/** A dry run writes none. */
function countEvent(written: Awaited<ReturnType<Cluster['recordEvent']>>, metrics: ControllerMetrics): void {
  if (written === 'written') metrics.countWrites('event', 1);
}
