import type { Node } from '../../../../schemas/kubernetes.ts';
import { dueFor } from './due-for.ts';
import { isAlive } from './faulty-cloud.ts';
import type { Machine } from './faulty-cloud.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** Looks at the cluster from time to time, and collects what must not be. */
export interface Checks {
  look(): void;
  readonly violations: readonly string[];
}

/** The longest backoff of a Node after a failure. */
const retryMs = 61_000;
const hangMs = 31_000;
/** The longest backoff of a scope. */
const backoffMs = 15_000;
/** 50 at once, five a second, one a second in advance for new Nodes, and first calls that a backoff held. */
const maxCalls = 130;
const windowMs = 10_000;

export function createChecks(cluster: SimulatedCluster): Checks {
  const violations: string[] = [];
  const waiting = new Map<string, { readonly what: string; readonly sinceMs: number }>();
  const seen = new Map<string, Node>();

  function checkDeletions(): void {
    for (const [name, node] of seen) {
      if (cluster.api.node(name) !== undefined) continue;
      seen.delete(name);
      waiting.delete(name);
      const machine = cluster.machineOf.get(name);
      if (machine !== undefined && isAlive(machine) && cluster.api.requests.includes(`delete Node ${name}`)) {
        violations.push(`${name} was deleted, and its instance is ${machine.status} (${node.spec.providerID ?? ''})`);
      }
    }
  }

  function checkWaiting(name: string, node: Node, machine: Machine): void {
    const nowMs = cluster.clock.monotonicMs();
    const due = dueFor(node, machine, cluster);
    const before = waiting.get(name);
    if (due === undefined) {
      waiting.delete(name);
      return;
    }
    const sinceMs = before?.what === due.what ? before.sinceMs : nowMs;
    waiting.set(name, { what: due.what, sinceMs });
    const blockedUntilMs = healthySinceMs(machine, cluster);
    const boundMs = due.withinMs + (blockedUntilMs > sinceMs ? retryMs : 0);
    const waitedMs = nowMs - Math.max(sinceMs, blockedUntilMs);
    if (waitedMs > boundMs) violations.push(describeWait(name, node, `${waitedMs} ms to be ${due.what} (${boundMs})`));
  }

  function describeWait(name: string, { metadata }: Node, wait: string): string {
    const tracked = cluster.controller.nodes().get(metadata.uid);
    const nowMs = cluster.clock.monotonicMs();
    return `at ${nowMs} ms ${name} has waited ${wait}; busy ${String(tracked?.busy)}, ${tracked?.reason}`;
  }

  function checkCalls(): void {
    const nowMs = cluster.clock.monotonicMs();
    // Another leader begins with all tokens.
    const fromMs = Math.max(nowMs - windowMs, cluster.ledSinceMs);
    for (const { key, callsAtMs } of cluster.clouds.flatMap(({ places }) => places)) {
      while (callsAtMs[0] !== undefined && callsAtMs[0] <= fromMs) callsAtMs.shift();
      if (callsAtMs.length > maxCalls) violations.push(`at ${nowMs} ms ${key} has had ${callsAtMs.length} calls`);
    }
  }

  return {
    violations,
    look: () => {
      checkDeletions();
      checkCalls();
      for (const [name, machine] of cluster.machineOf) {
        const node = cluster.api.node(name);
        if (node === undefined) continue;
        seen.set(name, node);
        checkWaiting(name, node, machine);
      }
    },
  };
}

/** Look-ups from before a place was healthy may hang for their whole time, and fail then; the scope backs off after that. */
function healthySinceMs(machine: Machine, { clouds, apiHealthyAtMs, ledSinceMs }: SimulatedCluster): number {
  const place = clouds.flatMap(({ places }) => places).find(({ key }) => key === machine.placeKey);
  if (place === undefined) throw new Error(`there is no place ${machine.placeKey}`);
  const recoveredAtMs = place.healthyAtMs === 0 ? 0 : place.healthyAtMs + hangMs + backoffMs;
  return Math.max(recoveredAtMs, place.askedToWaitUntilMs, apiHealthyAtMs, ledSinceMs, machine.hiddenUntilMs);
}
