import { readFile, writeFile } from 'node:fs/promises';
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
  /** The body, for Nodes, Events and Leases only. */
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

/** Bodies where they tell what somebody changed; never those that hold tokens. */
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
    { level: 'Metadata' },
  ],
};

export async function writeAuditPolicy(file: string): Promise<string> {
  await writeFile(file, stringify(policy));
  return file;
}

/** In the order in which the requests were finished. The last line may be on its way still. */
export async function readAuditEvents(file: string): Promise<readonly AuditEvent[]> {
  const text = await readFile(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent);
}
