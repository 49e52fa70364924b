import type { Controller } from './controller/controller.ts';
import type { ElectionStatus } from './leader-election.ts';
import { wordFor } from './lifecycle/scope.ts';
import { printable } from '../lib/printable.ts';
import { keys } from '../schemas/keys.ts';
import { isReady, isUninitialized } from '../lib/node/read-node.ts';
import type { Tracked } from './controller/tracked.ts';

const longestList = 50;

/** What it is doing, for people. */
export function statusText(controller: Controller, election: ElectionStatus | undefined): string {
  const nodes = [...controller.nodes().values()];
  const odd = nodes.filter(isOdd);
  const lines = [
    leaderLine(election),
    `nodes: ${nodes.length}, not Ready ${nodes.filter(({ node }) => !isReady(node)).length}, ` +
      `not initialised ${nodes.filter(({ node }) => isUninitialized(node)).length}`,
    ...breakerLines(controller),
    ...odd.slice(0, longestList).map(({ node, reason }) => `${node.metadata.name}: ${reason}`),
    ...(odd.length > longestList ? [`and ${odd.length - longestList} more`] : []),
  ];
  return textOf(lines);
}

/** Text of Nodes is in the lines. None of it can look like a line of its own. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function leaderLine(election: ElectionStatus | undefined): string {
  if (election === undefined) return 'leading, without an election';
  return election.isLeading ? 'leading' : `following ${election.holder || 'nobody yet'}`;
}

function isOdd({ node, ownership }: Tracked): boolean {
  return ownership.kind !== 'ours' || !isReady(node) || isUninitialized(node);
}

function breakerLines(controller: Controller): readonly string[] {
  const open = [...controller.scopes().all()].filter((scope) => scope.open);
  return open.map((scope) => {
    const word = `${keys.confirmDeletions}=${wordFor(scope)}`;
    return `${scope.key}: deletions by not-found are stopped; annotate one of the missing Nodes ${word} to let them go`;
  });
}
