import { markOf, markWidth } from '../../lib/command-line/outcome.ts';
import { plain } from '../../lib/command-line/paint.ts';
import type { Paint } from '../../lib/command-line/paint.ts';
import { realHost } from '../../lib/host.ts';
import { openClient } from '../../lib/kubernetes/open-client.ts';
import { printable } from '../../lib/printable.ts';
import type { LeaseRef } from '../leader-election/kubernetes-lease-store.ts';
import { assess } from './assess.ts';
import type { StatusReport } from './assess.ts';
import { collectStatus } from './collect.ts';

/** Asks the API server alone, so it works wherever kubectl does, and in a pod that is not the leader. */
export async function readStatus(
  kubeconfig: string | undefined,
  leaseRef: LeaseRef,
  env: NodeJS.ProcessEnv,
): Promise<StatusReport> {
  const client = await openClient({ program: 'polycloud-ccm', kubeconfig, env }, realHost);
  try {
    const collected = await collectStatus(client, leaseRef, new AbortController().signal);
    return assess(collected, `${leaseRef.namespace}/${leaseRef.name}`, Date.now());
  } finally {
    client.close();
  }
}

/** It contains text of Nodes, which must not look like a line of its own. */
export function statusJson(report: StatusReport): string {
  return `${printable(JSON.stringify(report))}\n`;
}

const aboutWidth = 'leader'.length;

/** As `statusJson`, for people. */
export function statusLines({ ok, checks }: StatusReport, paint: Paint = plain): string {
  const indent = ' '.repeat(markWidth + aboutWidth + 3);
  const lines = checks.flatMap(({ about, outcome, said, remedy }) => [
    `${markOf(outcome, paint)} ${about.padEnd(aboutWidth)}  ${printable(said)}`,
    ...(remedy === undefined ? [] : [`${indent}hint: ${printable(remedy)}`]),
  ]);
  const verdict = ok ? paint('green', 'all is well') : paint('red', 'something is wrong, or could not be found out');
  return [...lines, verdict].map((line) => `${line}\n`).join('');
}
