import type { Node } from '../../../../schemas/kubernetes.ts';
import { isReady, isUninitialized } from '../../../../lib/node/read-node.ts';
import { hasTaint } from '../harness.ts';
import { isAlive } from './faulty-cloud.ts';
import type { Machine } from './faulty-cloud.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** What a Node waits for. */
export interface DueChange {
  readonly what: string;
  /** Within this time, while everything that it depends on is healthy. */
  readonly withinMs: number;
}

const monitorMs = 5_000;
/** A place where a node without a providerID is not may hang. */
const hangMs = 31_000;
const slackMs = 4_000;
const minAgeMs = 300_000;
const callMs = 200;

export function dueFor(node: Node, machine: Machine, cluster: SimulatedCluster): DueChange | undefined {
  const serviceMs = serviceTimeMs(machine, cluster);
  if (isUninitialized(node)) {
    const elsewhereMs = node.spec.providerID === undefined ? hangMs : 0;
    const withinMs = cluster.headStartMs + serviceMs + elsewhereMs;
    return isAlive(machine) ? { what: 'initialised', withinMs } : undefined;
  }
  return dueTaint(node, machine, serviceMs) ?? dueDeletion(node, machine, { cluster, serviceMs });
}

function dueTaint(node: Node, { status }: Machine, serviceMs: number): DueChange | undefined {
  const withinMs = monitorMs + serviceMs;
  const isTainted = hasTaint(node, 'shutdown');
  if (isTainted && (isReady(node) || status === 'running')) return { what: 'untainted', withinMs };
  return !isTainted && !isReady(node) && status === 'stopped' ? { what: 'tainted', withinMs } : undefined;
}

interface DeletionContext {
  readonly cluster: SimulatedCluster;
  readonly serviceMs: number;
}

function dueDeletion(node: Node, machine: Machine, { cluster, serviceMs }: DeletionContext): DueChange | undefined {
  if (isReady(node)) return undefined;
  // Three a minute, for those that were seen to be terminated.
  const limitMs = 60_000 * terminatedCount(machine, cluster);
  if (machine.status === 'terminated') {
    return { what: 'deleted', withinMs: 2 * (monitorMs + serviceMs) + 10_000 + limitMs };
  }
  if (machine.status !== 'deleted' || isBreakerOpen(machine, cluster)) return undefined;
  return { what: 'removed', withinMs: minAgeMs + 60_000 + 4 * (monitorMs + serviceMs) + limitMs };
}

/** What all look-ups of the place take at five calls a second, if each of its Nodes is due. */
function serviceTimeMs({ placeKey }: Machine, { machineOf, api, clouds }: SimulatedCluster): number {
  const nodes = [...machineOf].filter(([name, each]) => each.placeKey === placeKey && api.node(name) !== undefined);
  const cloud = clouds.find(({ name }) => placeKey.startsWith(`${name}/`));
  if (cloud === undefined) throw new Error(`no cloud has ${placeKey}`);
  const batches = Math.ceil(nodes.length / cloud.instances.batchMax) + 3;
  return slackMs + 2 * batches * (cloud.requestCount + 2) * callMs;
}

function terminatedCount({ placeKey }: Machine, { machineOf, api }: SimulatedCluster): number {
  return [...machineOf].filter(
    ([name, each]) => each.placeKey === placeKey && each.status === 'terminated' && api.node(name) !== undefined,
  ).length;
}

function isBreakerOpen({ placeKey }: Machine, { controller }: SimulatedCluster): boolean {
  return [...controller.scopes().all()].some(({ key, open }) => key === placeKey && open);
}
