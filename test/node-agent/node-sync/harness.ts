import type { Instance } from '../../../clouds/cloud.ts';
import { Failure } from '../../../lib/failure.ts';
import { logInto } from '../../support/logs.ts';
import { dryRunWriter } from '../../../lib/node/dry-run-writer.ts';
import type { NodeEvent } from '../../../lib/node/node-event.ts';
import type { NodeWriter } from '../../../lib/node/node-writer.ts';
import { createSyncLoop } from '../../../node-agent/node-sync/sync-loop.ts';
import type { SyncLoop } from '../../../node-agent/node-sync/sync-loop.ts';
import { createEventReporter } from '../../../node-agent/node-sync/event-reporter.ts';
import { createSyncLog } from '../../../node-agent/node-sync/sync-log.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { unusedContext } from '../../clouds/contexts.ts';

export const instance: Instance = {
  providerId: 'aws:///us-west-2b/i-0a1b2c3d4e5f60718',
  type: 'm7g.large',
  region: 'us-west-2',
  zone: 'us-west-2b',
  addresses: [{ type: 'InternalIP', address: '10.0.0.20' }],
  labels: {},
};

/** A sync loop with an API server of one Node and a scripted cloud. Time advances only by the fake clock. */
export interface SyncLoopHarness {
  readonly loop: SyncLoop;
  readonly clock: FakeClock;
  readonly events: NodeEvent[];
  readonly logLines: string[];
  /** What the metrics counted of writes. */
  readonly counts: string[];
  /** `status` and `node`, in their order. */
  readonly writes: string[];
  readonly reads: { count: number; fails: Failure | undefined; instance: Instance };
  readonly detections: { count: number; fails: Failure | undefined };
  readonly api: { node: Node | undefined; fails: Error | undefined };
  /** Changes the Node as another writer, and delivers it to the loop. */
  change(change: (node: Node) => Node): void;
  end(): Promise<void>;
}

export const down = new Failure('unavailable', 'it is down', { remedy: 'wait' });

export function startHarness(node: Node | undefined, { isDry = false } = {}): SyncLoopHarness {
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:10Z'));
  const events: NodeEvent[] = [];
  const logLines: string[] = [];
  const counts: string[] = [];
  const writes: string[] = [];
  const reads: SyncLoopHarness['reads'] = { count: 0, fails: undefined, instance };
  const detections: SyncLoopHarness['detections'] = { count: 0, fails: undefined };
  const api: SyncLoopHarness['api'] = { node, fails: undefined };
  const patched = (kind: string, patch: object): Promise<Node | 'conflict'> => {
    if (api.fails !== undefined) return Promise.reject(api.fails);
    writes.push(kind);
    const before = api.node;
    const isCurrent = versionIn(patch) === before?.metadata.resourceVersion;
    if (before === undefined || !isCurrent) return Promise.resolve('conflict');
    api.node = merged(before, patch);
    loop.nodeChanged(api.node);
    return Promise.resolve(api.node);
  };
  const cloud = {
    name: 'aws',
    instances: undefined,
    metadata: {
      detect: async () => Promise.resolve('yes' as const),
      describe: async () => {
        reads.count += 1;
        return reads.fails === undefined ? Promise.resolve(reads.instance) : Promise.reject(reads.fails);
      },
    },
  };
  const log = logInto((line) => void logLines.push(line));
  const writer: NodeWriter = {
    read: () => Promise.resolve(api.node),
    patch: (_node, patch) => patched('node', patch),
    patchStatus: (_node, patch) => patched('status', patch),
  };
  const loop = createSyncLoop({
    readEveryMs: 60_000,
    clock,
    random: () => 0.5,
    eventReporter: createEventReporter({ writeEvent: async (_node, event) => void events.push(event), log }),
    metrics: {
      syncEnded: () => {},
      metadataRead: () => {},
      nodeSynced: (count) => void counts.push(`synced ${String(count)}`),
      initialized: () => void counts.push('initialized'),
      eventWritten: () => void counts.push('event'),
    },
    logResult: createSyncLog(log),
    writerFor: () => (isDry ? dryRunWriter(writer) : writer),
    findCloud: async () => {
      detections.count += 1;
      return detections.fails === undefined ? Promise.resolve(cloud) : Promise.reject(detections.fails);
    },
    contextFor: () => ({ ...unusedContext, clock }),
  });
  const ending = new AbortController();
  if (node !== undefined) loop.nodeChanged(node);
  const running = loop.run(ending.signal);
  return {
    loop,
    clock,
    events,
    logLines,
    counts,
    writes,
    reads,
    detections,
    api,
    change: (change) => {
      if (api.node === undefined) throw new Error('there is no Node to change');
      const { metadata, ...rest } = change(api.node);
      const resourceVersion = String(Number(api.node.metadata.resourceVersion) + 1);
      api.node = { ...rest, metadata: { ...metadata, resourceVersion } };
      loop.nodeChanged(api.node);
    },
    end: async () => {
      ending.abort(new Error('the end'));
      await running;
    },
  };
}

function versionIn(patch: object): string | undefined {
  return (patch as Partial<Node>).metadata?.resourceVersion;
}

function merged(node: Node, patch: Partial<Node>): Node {
  const resourceVersion = String(Number(node.metadata.resourceVersion) + 1);
  const { labels, annotations } = patch.metadata ?? {};
  return {
    metadata: {
      ...node.metadata,
      resourceVersion,
      labels: { ...node.metadata.labels, ...labels },
      annotations: { ...node.metadata.annotations, ...annotations },
    },
    spec: { ...node.spec, ...patch.spec },
    status: { ...node.status, ...patch.status },
  };
}
