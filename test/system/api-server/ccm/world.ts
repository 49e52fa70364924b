import type { Test } from 'tap';
import { aws as definition } from '../../../lab/clouds/aws/cloud.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { AwsState } from '../../../lab/clouds/aws/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../../lab/clouds/loopback.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { grantRights } from './rights.ts';

/** A real API server, and an EC2 that does as it is told. */
export interface World {
  readonly plane: SharedControlPlane;
  readonly aws: LabCloud<AwsState>;
  readonly region: string;
  /** Everything that the controller has shown so far, to be searched for secrets. */
  readonly shown: Shown[];
  atEnd(action: () => Promise<void>): void;
}

/** Where something may be read, and what is there now. */
export interface Shown {
  readonly where: string;
  text(): Promise<string>;
}

const accountId = '123456789012';
const withinMs = 20_000;
const everyMs = 50;

export async function startWorldOn(t: Test, plane: SharedControlPlane): Promise<World> {
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  t.teardown(() => aws.stop());
  await grantRights(plane);
  return { plane, aws, region: 'us-west-2', shown: [], atEnd: (action) => t.teardown(action) };
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

/** EC2 shows it still, as terminated. */
export async function terminate(world: World, instance: Ec2Instance): Promise<void> {
  await change(world, instance, { state: 'terminated', terminatedAtMs: Date.now() });
}

export function providerIdOf({ zone, instanceId }: Ec2Instance): string {
  return `aws:///${zone}/${instanceId}`;
}

/** The questions to EC2 that name this. */
export async function questionsAbout({ aws }: World, text: string): ReturnType<World['aws']['requests']> {
  return (await aws.requests()).filter(({ service, body }) => service === 'ec2' && body.includes(text));
}

/** Until EC2 was asked so many times more, of this instance if one is named. */
export async function untilAsked(world: World, times: number, instanceId: string): Promise<void> {
  const before = (await questionsAbout(world, instanceId)).length;
  await waitUntil({ what: `${instanceId} asked for ${String(times)} times`, withinMs, everyMs }, async () =>
    (await questionsAbout(world, instanceId)).length >= before + times ? true : undefined,
  );
}
