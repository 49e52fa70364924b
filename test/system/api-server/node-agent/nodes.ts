import type { Node } from '../../../../schemas/kubernetes.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { MachineEnvironment } from './machine-environment.ts';

type Plane = Pick<MachineEnvironment, 'plane'>;

const withinMs = 30_000;
const everyMs = 50;

export interface NodeSettings {
  readonly name: string;
  readonly providerID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** As a kubelet registers it for a cloud controller to initialise. */
export async function register({ plane }: Plane, settings: NodeSettings): Promise<Node> {
  const { name, providerID, labels = {}, annotations = {} } = settings;
  const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'Said', message: 'said' };
  const { status, body } = await plane.ask('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, annotations },
    spec: { ...(providerID !== undefined && { providerID }), taints: [taint] },
    status: {
      addresses: [{ type: 'Hostname', address: name }],
      conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
    },
  });
  if (status !== 201) throw new Error(`Node ${name} was not created: ${String(status)}`);
  return body as Node;
}

export async function readNode({ plane }: Plane, name: string): Promise<Node> {
  const { status, body } = await plane.ask('GET', `/api/v1/nodes/${name}`);
  if (status !== 200) throw new Error(`Node ${name} cannot be read: ${String(status)}`);
  return body as Node;
}

export async function change({ plane }: Plane, name: string, patch: object): Promise<void> {
  const { status } = await plane.ask('PATCH', `/api/v1/nodes/${name}`, patch);
  if (status !== 200) throw new Error(`Node ${name} was not changed: ${String(status)}`);
}

export async function remove({ plane }: Plane, name: string): Promise<void> {
  const { status } = await plane.ask('DELETE', `/api/v1/nodes/${name}`);
  if (status !== 200) throw new Error(`Node ${name} was not deleted: ${String(status)}`);
}

export function untilNode(
  environment: Plane,
  name: string,
  what: string,
  holds: (node: Node) => boolean,
): Promise<Node> {
  return waitUntil({ what: `${name} ${what}`, withinMs, everyMs }, async () => {
    const node = await readNode(environment, name);
    return holds(node) ? node : undefined;
  });
}

export function isInitialized({ spec }: Node): boolean {
  return !(spec.taints ?? []).some(({ key }) => key.endsWith('/uninitialized'));
}

export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export async function eventsOn({ plane }: Plane, name: string): Promise<readonly SeenEvent[]> {
  const { body } = await plane.ask('GET', `/api/v1/events?fieldSelector=involvedObject.name=${name}`);
  return (body as { readonly items: readonly SeenEvent[] }).items;
}

/** Nothing waits for events, so they may come late. */
export async function untilReasons(environment: Plane, name: string, reasons: readonly string[]): Promise<void> {
  await waitUntil({ what: `events ${reasons.join(', ')} on ${name}`, withinMs, everyMs }, async () => {
    const seen = new Set((await eventsOn(environment, name)).map(({ reason }) => reason));
    return reasons.every((reason) => seen.has(reason)) || undefined;
  });
}

export async function warningsOn(environment: Plane, name: string): Promise<readonly SeenEvent[]> {
  return (await eventsOn(environment, name)).filter(({ type }) => type === 'Warning');
}

export function untilWarned(environment: Plane, name: string): Promise<SeenEvent> {
  return waitUntil(
    { what: `a warning on ${name}`, withinMs, everyMs },
    async () => (await warningsOn(environment, name))[0],
  );
}

/** What a program of ours asked the API server for, in its order. */
export async function requestsBy({ plane }: Plane, program: string): Promise<readonly AuditEvent[]> {
  const events = await plane.auditEvents();
  return events.filter(({ userAgent = '' }) => userAgent.startsWith(`${program}/`));
}

/** What it changed on a Node; what the API server refused changed nothing. */
export async function writesBy(environment: Plane, program: string, name: string): Promise<readonly AuditEvent[]> {
  const requests = await requestsBy(environment, program);
  return requests.filter(
    ({ verb, objectRef, responseStatus }) =>
      (responseStatus?.code ?? 0) < 300 &&
      ['patch', 'update', 'create', 'delete'].includes(verb) &&
      objectRef?.resource === 'nodes' &&
      objectRef.name === name,
  );
}

/** What the agent and the controller changed on a Node. */
export async function writesOfBoth(environment: Plane, name: string): Promise<readonly AuditEvent[]> {
  const programs = ['polycloud-node-agent', 'polycloud-ccm'];
  return (await Promise.all(programs.map((program) => writesBy(environment, program, name)))).flat();
}
