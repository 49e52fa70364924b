import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEvent } from '../../test/lab/control-plane/audit.ts';
import type { RecordedRequest } from '../../test/lab/clouds/request-log.ts';
import type { BenchCloud } from './clouds/cloud.ts';
import type { ControllerFixture } from './fixture.ts';

/** The calls to the cloud and the writes to the API server since the start of the count. */
export interface CallCounter {
  /** By operation. */
  cloudCalls(): Promise<ReadonlyMap<string, number>>;
  writes(userAgent: string): Promise<WriteCounts>;
}

export interface WriteCounts {
  /** Labels, taints, providerID; and addresses and conditions. */
  readonly nodes: number;
  readonly events: number;
  readonly leases: number;
}

export async function startCounting({ plane, cloud }: ControllerFixture): Promise<CallCounter> {
  const auditLog = join(plane.logDirectory, 'audit.log');
  const { size: fromByte } = await stat(auditLog);
  const fromRequest = (await cloud.requests()).length;
  return {
    cloudCalls: async () => countCalls(cloud, (await cloud.requests()).slice(fromRequest)),
    writes: (userAgent) => countWrites(auditLog, fromByte, userAgent),
  };
}

export function countCalls(
  { operationOf }: Pick<BenchCloud, 'operationOf'>,
  requests: readonly RecordedRequest[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const request of requests) {
    const operation = operationOf(request);
    if (operation !== undefined) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return counts;
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Line by line: with all bodies the log is larger than a string may be. */
async function countWrites(auditLog: string, fromByte: number, userAgent: string): Promise<WriteCounts> {
  const counts = { nodes: 0, events: 0, leases: 0 };
  const file = await open(auditLog);
  const mark = `"userAgent":"${userAgent}`;
  for await (const line of file.readLines({ start: fromByte })) {
    // The last one may be on its way still.
    if (!line.includes(mark) || !line.endsWith('}')) continue;
    const { verb, objectRef } = JSON.parse(line) as AuditEvent;
    const resource = objectRef?.resource ?? '';
    if (writeVerbs.has(verb) && Object.hasOwn(counts, resource)) counts[resource as keyof typeof counts] += 1;
  }
  return counts;
}
