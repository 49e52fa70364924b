import type { Test } from 'tap';
import type { Node, NodeCondition } from '../../../schemas/kubernetes.ts';
import { aws as definition } from '../../lab/clouds/aws/cloud.ts';
import { fleetOf } from '../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../lab/clouds/aws/ec2-instance.ts';
import type { AwsState } from '../../lab/clouds/aws/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import type { AuditEvent } from '../../lab/control-plane/audit.ts';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';

/** A real API server, and an EC2 that does as it is told. */
export interface World {
  readonly plane: ControlPlane;
  readonly aws: LabCloud<AwsState>;
  readonly region: string;
}

const accountId = '123456789012';
const withinMs = 20_000;
const everyMs = 50;

export async function startWorld(t: Test): Promise<World> {
  const plane = await controlPlaneFor(t, { parts: [] });
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  t.teardown(() => aws.stop());
  return { plane, aws, region: 'us-west-2' };
}

/** That many more instances of our account, launched an hour ago; `number` tells fleets apart. */
export async function launch(world: World, count: number, number: number): Promise<readonly Ec2Instance[]> {
  const launchedAtMs = Date.now() - 3_600_000;
  const fleet = fleetOf({ count, region: world.region, zoneLetters: ['a', 'b'], accountId, launchedAtMs, number });
  await world.aws.update({ ec2Instances: fleet });
  return Object.values(fleet);
}

export async function change({ aws }: World, instance: Ec2Instance, changed: Partial<Ec2Instance>): Promise<void> {
  await aws.update({ ec2Instances: { [instance.instanceId]: { ...instance, ...changed } } });
}

/** As if it had never been. */
export async function vanish(world: World, instance: Ec2Instance): Promise<void> {
  await change(world, instance, { state: 'terminated', terminatedAtMs: 0 });
}

export function providerIdOf({ zone, instanceId }: Ec2Instance): string {
  return `aws:///${zone}/${instanceId}`;
}

export interface NodeWishes {
  readonly name: string;
  readonly providerID?: string;
  readonly isReady: boolean;
  /** With the taint that a kubelet registers with. */
  readonly isNew: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

export async function register({ plane }: World, wishes: NodeWishes): Promise<Node> {
  const { name, providerID, isReady, isNew, labels = {} } = wishes;
  const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
  const { status, body } = await plane.ask('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { ...(providerID !== undefined && { providerID }), ...(isNew && { taints: [taint] }) },
    status: { conditions: [readyCondition(isReady)] },
  });
  if (status !== 201) throw new Error(`Node ${name} was not created: ${String(status)}`);
  return body as Node;
}

export async function setReady({ plane }: World, name: string, isReady: boolean): Promise<void> {
  const status = { conditions: [readyCondition(isReady)] };
  const answer = await plane.ask('PATCH', `/api/v1/nodes/${name}/status`, { status });
  if (answer.status !== 200) throw new Error(`Ready of ${name} was not set: ${String(answer.status)}`);
}

function readyCondition(isReady: boolean): NodeCondition {
  const now = new Date().toISOString();
  const status = isReady ? 'True' : 'False';
  return { type: 'Ready', status, reason: 'Said', message: 'said', lastHeartbeatTime: now, lastTransitionTime: now };
}

export async function readNode({ plane }: World, name: string): Promise<Node | undefined> {
  const { status, body } = await plane.ask('GET', `/api/v1/nodes/${name}`);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`Node ${name} cannot be read: ${String(status)}`);
  return body as Node;
}

export async function untilNode(
  world: World,
  name: string,
  what: string,
  holds: (node: Node) => boolean,
): Promise<Node> {
  return waitUntil({ what: `${name} ${what}`, withinMs, everyMs }, async () => {
    const node = await readNode(world, name);
    return node !== undefined && holds(node) ? node : undefined;
  });
}

export async function untilDeleted(world: World, name: string): Promise<void> {
  await waitUntil({ what: `${name} deleted`, withinMs, everyMs }, async () =>
    (await readNode(world, name)) === undefined ? true : undefined,
  );
}

export interface WarningEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export async function untilWarned({ plane }: World, name: string): Promise<WarningEvent> {
  return waitUntil({ what: `a warning on ${name}`, withinMs, everyMs }, async () => {
    const { body } = await plane.ask('GET', `/api/v1/events?fieldSelector=involvedObject.name=${name}`);
    return (body as { items: readonly WarningEvent[] }).items.find(({ type }) => type === 'Warning');
  });
}

export async function untilSaid(said: () => string, what: RegExp): Promise<RegExpExecArray> {
  return waitUntil({ what: `said ${String(what)}`, withinMs, everyMs }, () =>
    Promise.resolve(what.exec(said()) ?? undefined),
  );
}

/** Until EC2 was asked so many times more, of this instance if one is named. */
export async function untilAsked({ aws }: World, times: number, instanceId: string): Promise<void> {
  const count = async (): Promise<number> => {
    const requests = await aws.requests();
    return requests.filter(({ service, body }) => service === 'ec2' && body.includes(instanceId)).length;
  };
  const before = await count();
  await waitUntil({ what: `${instanceId} asked for ${String(times)} times`, withinMs, everyMs }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}

/** What the controller itself changed on a Node, or on any, in the order of the API server. */
export async function writesTo({ plane }: World, name: string | undefined): Promise<readonly AuditEvent[]> {
  const events = await plane.auditEvents();
  return events.filter(
    ({ verb, userAgent = '', objectRef }) =>
      userAgent.startsWith('polycloud-ccm/') &&
      ['patch', 'update', 'create', 'delete'].includes(verb) &&
      objectRef?.resource === 'nodes' &&
      (name === undefined || objectRef.name === name),
  );
}
