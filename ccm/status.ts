import type { NodeController } from './node-controller/controller.ts';
import type { ElectionStatus } from './leader-election.ts';
import { confirmationTokenFor } from './lifecycle/scope.ts';
import { printable } from '../lib/printable.ts';
import { keys } from '../schemas/keys.ts';
import { isReady, isUninitialized } from '../lib/node/read-node.ts';
import type { RouteController } from './route-controller/controller.ts';
import { routeTableStatuses } from './route-controller/table-status.ts';
import type { RouteTableStatus } from './route-controller/table-status.ts';
import type { TrackedNode } from './node-controller/tracked-node.ts';

const maxListedNodes = 50;

/** The state of the controller, for people. */
export function statusText(
  controller: NodeController,
  election: ElectionStatus | undefined,
  routes?: Pick<RouteController, 'tables'>,
): string {
  const nodes = [...controller.nodes().values()];
  const listed = nodes.filter(needsAttention);
  const lines = [
    leaderLine(election),
    `nodes: ${nodes.length}, not Ready ${nodes.filter(({ node }) => !isReady(node)).length}, ` +
      `not initialised ${nodes.filter(({ node }) => isUninitialized(node)).length}`,
    ...breakerLines(controller),
    ...routeTableStatuses(routes).map(tableLine),
    ...listed.slice(0, maxListedNodes).map(({ node, reason }) => `${node.metadata.name}: ${reason}`),
    ...(listed.length > maxListedNodes ? [`and ${listed.length - maxListedNodes} more`] : []),
  ];
  return textOf(lines);
}

/** Lines contain text of Nodes, which must not look like a line of its own. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function leaderLine(election: ElectionStatus | undefined): string {
  if (election === undefined) return 'leading, without an election';
  return election.isLeading ? 'leading' : `following ${election.holder || 'no leader yet'}`;
}

function needsAttention({ node, ownership }: TrackedNode): boolean {
  return ownership.kind !== 'ours' || !isReady(node) || isUninitialized(node);
}

function breakerLines(controller: NodeController): readonly string[] {
  const open = [...controller.scopes().all()].filter((scope) => scope.open);
  return open.map((scope) => {
    const annotation = `${keys.confirmDeletions}=${confirmationTokenFor(scope)}`;
    return `${scope.key}: deletions by not-found are stopped; annotate one of the missing Nodes ${annotation} to let them go`;
  });
}

function tableLine({ table, nodes, failed, left, failure }: RouteTableStatus): string {
  const read = failure === undefined ? '' : `; it cannot be read: ${failure}`;
  return `${table}: routes of ${nodes} Nodes, ${failed} Nodes without, ${left} other routes are left alone${read}`;
}
