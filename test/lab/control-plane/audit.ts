import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';

/** What the API server wrote down about one request, as far as we look at it. */
export interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly objectRef?: AuditedObject;
  readonly responseStatus?: { readonly code?: number };
  /** The body, for Nodes, Events, Leases and the ends of pods only. */
  readonly requestObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditedObject {
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** With the bodies of changes, but never those that hold tokens. */
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*', '/metrics'] },
    {
      level: 'Request',
      omitManagedFields: true,
      resources: [
        { group: '', resources: ['nodes', 'nodes/status', 'events'] },
        { group: 'events.k8s.io', resources: ['events'] },
        { group: 'coordination.k8s.io', resources: ['leases'] },
      ],
    },
    { level: 'Request', verbs: ['delete'], resources: [{ group: '', resources: ['pods'] }] },
    { level: 'Request', resources: [{ group: '', resources: ['pods/eviction'] }] },
    { level: 'Metadata' },
  ],
};

export async function writeAuditPolicy(file: string): Promise<string> {
  await writeFile(file, stringify(policy));
  return file;
}

/** What is asked from now on, in the order in which the requests are finished. The last line may be on its way still. */
export async function followAuditEvents(file: string): Promise<() => Promise<readonly AuditEvent[]>> {
  const startedAtMs = Date.now();
  const start = await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
  return async () => {
    const bytes = await readFrom(file, start);
    const lines = bytes.subarray(0, bytes.lastIndexOf('\n') + 1).toString();
    const events = lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditEvent);
    // A watch from before may have ended since.
    return events.filter((event) => Date.parse(event.requestReceivedTimestamp) >= startedAtMs);
  };
}

async function readFrom(file: string, start: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(file, { start })) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
