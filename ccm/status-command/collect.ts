import * as z from 'zod/mini';
import { failureText } from '../../lib/failure-text.ts';
import { parseJson } from '../../lib/json.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { isKubernetesError } from '../../lib/kubernetes/kubernetes-error.ts';
import { leases, nodes } from '../../lib/kubernetes/resources.ts';
import { trimNode } from '../../lib/node/trim-node.ts';
import { keys } from '../../schemas/keys.ts';
import type { Lease, Node } from '../../schemas/kubernetes.ts';
import type { LeaseRef } from '../leader-election/kubernetes-lease-store.ts';
import type { LeaderStatus } from './leader-status.ts';

/** What a part of the cluster looks like, or why that could not be found out. */
export type Collected<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

export interface CollectedStatus {
  readonly lease: Collected<Lease>;
  readonly nodes: Collected<readonly Node[]>;
}

type Client = Pick<KubernetesClient, 'get' | 'list'>;

/** Needs `get` on the Lease and `list` on Nodes. What may not be read leaves the other part readable. */
export async function collectStatus(client: Client, leaseRef: LeaseRef, signal: AbortSignal): Promise<CollectedStatus> {
  const [lease, listed] = await Promise.all([
    collect(() => client.get(leases, leaseRef, signal)),
    collect(async () => (await client.list(nodes, {}, signal)).items.map(trimNode)),
  ]);
  return { lease, nodes: listed };
}

async function collect<T>(read: () => Promise<T>): Promise<Collected<T>> {
  try {
    return { kind: 'found', value: await read() };
  } catch (error) {
    if (isKubernetesError(error, 'not-found')) return { kind: 'absent' };
    return { kind: 'unknown', why: failureText(error) };
  }
}

const LeaderStatusAnnotation = z.object({
  identity: z.string(),
  version: z.string(),
  clouds: z.array(z.string()),
  nodes: z.object({ ours: z.number(), foreign: z.number(), unmanaged: z.number() }),
  scopes: z.array(
    z.object({
      cloud: z.string(),
      scope: z.string(),
      nodes: z.number(),
      lastSuccess: z.optional(z.string()),
      failure: z.optional(z.string()),
      deletionsStopped: z.boolean(),
    }),
  ),
  routeTables: z.optional(
    z.array(
      z.object({
        cloud: z.string(),
        table: z.string(),
        nodes: z.number(),
        failed: z.number(),
        left: z.number(),
        failure: z.optional(z.string()),
      }),
    ),
  ),
});

/** `undefined`: the holder of the Lease wrote none. It is another program, or an older version of this one. */
export function leaderStatusIn({ metadata, spec }: Lease): LeaderStatus | undefined {
  const text = metadata.annotations?.[keys.leaderStatus];
  const parsed = LeaderStatusAnnotation.safeParse(text === undefined ? undefined : parseJsonOrNothing(text));
  return parsed.success && parsed.data.identity === spec.holderIdentity ? (parsed.data as LeaderStatus) : undefined;
}

function parseJsonOrNothing(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
