import type { Node, NodeCondition } from '../../../../schemas/kubernetes.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { providerIdOf } from './environment.ts';
import type { TestEnvironment } from './environment.ts';

const withinMs = 20_000;
const everyMs = 50;

export interface NodeSettings {
  readonly name: string;
  readonly providerID?: string;
  readonly isReady: boolean;
  /** With the taint that a kubelet registers with. */
  readonly isNew: boolean;
  /** Another one after each start of the machine. */
  readonly bootID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly podCIDRs?: readonly string[];
}

export async function register({ plane }: TestEnvironment, settings: NodeSettings): Promise<Node> {
  const { name, providerID, isReady, isNew, bootID, labels = {}, podCIDRs } = settings;
  const [podCIDR] = podCIDRs ?? [];
  const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
  const { status, body } = await plane.ask('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {
      ...(providerID !== undefined && { providerID }),
      ...(podCIDR !== undefined && { podCIDR, podCIDRs }),
      ...(isNew && { taints: [taint] }),
    },
    status: { conditions: [readyCondition(isReady)], ...(bootID !== undefined && { nodeInfo: { bootID } }) },
  });
  if (status !== 201) throw new Error(`Node ${name} was not created: ${String(status)}`);
  return body as Node;
}

/** One that has been at work for a while. */
export function registerKnown(
  environment: TestEnvironment,
  name: string,
  instance: Ec2Instance,
  isReady: boolean,
): Promise<Node> {
  return register(environment, { name, providerID: providerIdOf(instance), isReady, isNew: false });
}

export async function setReady({ plane }: TestEnvironment, name: string, isReady: boolean): Promise<void> {
  const status = { conditions: [readyCondition(isReady)] };
  const response = await plane.ask('PATCH', `/api/v1/nodes/${name}/status`, { status });
  if (response.status !== 200) throw new Error(`Ready of ${name} was not set: ${String(response.status)}`);
}

/** The kubelet of another machine writes the Node, which is not Ready yet. */
export async function takeOver({ plane }: TestEnvironment, name: string, bootID: string): Promise<void> {
  const status = { conditions: [readyCondition(false)], nodeInfo: { bootID } };
  const response = await plane.ask('PATCH', `/api/v1/nodes/${name}/status`, { status });
  if (response.status !== 200) throw new Error(`${name} was not taken over: ${String(response.status)}`);
}

function readyCondition(isReady: boolean): NodeCondition {
  const now = new Date().toISOString();
  const status = isReady ? 'True' : 'False';
  return { type: 'Ready', status, reason: 'Said', message: 'said', lastHeartbeatTime: now, lastTransitionTime: now };
}

export async function readNode({ plane }: TestEnvironment, name: string): Promise<Node | undefined> {
  const { status, body } = await plane.ask('GET', `/api/v1/nodes/${name}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`Node ${name} cannot be read: ${String(status)}`);
  return body as Node;
}

export async function readNodes({ plane }: TestEnvironment): Promise<readonly Node[]> {
  const { status, body } = await plane.ask('GET', '/api/v1/nodes');
  if (status !== 200) throw new Error(`Nodes cannot be listed: ${String(status)}`);
  return (body as { readonly items: readonly Node[] }).items;
}

export async function untilNode(
  environment: TestEnvironment,
  name: string,
  what: string,
  holds: (node: Node) => boolean,
): Promise<Node> {
  return waitUntil({ what: `${name} ${what}`, withinMs, everyMs }, async () => {
    const node = await readNode(environment, name);
    return node !== undefined && holds(node) ? node : undefined;
  });
}

/** With the reason of the controller's condition. */
export function hasReport({ status }: Node, reason: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.reason === reason);
}

export function isInitialised({ spec }: Node): boolean {
  return !(spec.taints ?? []).some(({ key }) => key.endsWith('/uninitialized'));
}

export async function untilDeleted(environment: TestEnvironment, name: string): Promise<void> {
  await waitUntil({ what: `${name} deleted`, withinMs, everyMs }, async () =>
    (await readNode(environment, name)) === undefined ? true : undefined,
  );
}

export interface WarningEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export async function untilWarned({ plane }: TestEnvironment, name: string): Promise<WarningEvent> {
  return waitUntil({ what: `a warning on ${name}`, withinMs, everyMs }, async () => {
    const { body } = await plane.ask('GET', `/api/v1/events?fieldSelector=involvedObject.name=${name}`);
    return (body as { items: readonly WarningEvent[] }).items.find(({ type }) => type === 'Warning');
  });
}

/** What the controller itself changed on a Node, or on any, in the order of the API server. */
export async function writesTo({ plane }: TestEnvironment, name: string | undefined): Promise<readonly AuditEvent[]> {
  const events = await plane.auditEvents();
  return events.filter(
    ({ verb, userAgent = '', objectRef }) =>
      userAgent.startsWith('polycloud-ccm/') &&
      ['patch', 'update', 'create', 'delete'].includes(verb) &&
      objectRef?.resource === 'nodes' &&
      (name === undefined || objectRef.name === name),
  );
}

/** Those of its deletions that the API server carried out. */
export async function deletionsBy(environment: TestEnvironment): Promise<readonly AuditEvent[]> {
  const writes = await writesTo(environment, undefined);
  return writes.filter(({ verb, responseStatus }) => verb === 'delete' && responseStatus?.code === 200);
}

export function namesOf(events: readonly AuditEvent[]): readonly string[] {
  return events.map(({ objectRef }) => objectRef?.name ?? '').toSorted();
}
