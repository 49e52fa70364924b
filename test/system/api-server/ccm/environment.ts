import type { Test } from 'tap';
import { aws as definition } from '../../../lab/clouds/aws/cloud.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { AwsState } from '../../../lab/clouds/aws/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../../lab/clouds/loopback.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { grantPermissions } from './permissions.ts';

/** A real API server, and a scripted EC2. */
export interface TestEnvironment {
  readonly plane: SharedControlPlane;
  readonly aws: LabCloud<AwsState>;
  readonly region: string;
  /** Everything that the controller has shown so far, to be searched for secrets. */
  readonly outputs: ShownOutput[];
  atEnd(action: () => Promise<void>): void;
}

/** Where something may be read, and what is there now. */
export interface ShownOutput {
  readonly where: string;
  text(): Promise<string>;
}

const accountId = '123456789012';
const withinMs = 20_000;
const everyMs = 50;

export async function startEnvironment(t: Test, plane: SharedControlPlane): Promise<TestEnvironment> {
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  t.teardown(() => aws.stop());
  await grantPermissions(plane);
  return { plane, aws, region: 'us-west-2', outputs: [], atEnd: (action) => t.teardown(action) };
}

/** That many more instances of our account, launched an hour ago. `number` distinguishes fleets. */
export async function launchInstances(
  environment: TestEnvironment,
  count: number,
  number: number,
): Promise<readonly Ec2Instance[]> {
  const launchedAtMs = Date.now() - 3_600_000;
  const fleet = fleetOf({
    count,
    region: environment.region,
    zoneLetters: ['a', 'b'],
    accountId,
    launchedAtMs,
    number,
  });
  await environment.aws.update({ ec2Instances: fleet });
  return Object.values(fleet);
}

export async function changeInstance(
  { aws }: TestEnvironment,
  instance: Ec2Instance,
  changed: Partial<Ec2Instance>,
): Promise<void> {
  await aws.update({ ec2Instances: { [instance.instanceId]: { ...instance, ...changed } } });
}

/** As if it had never been. */
export async function removeInstance(environment: TestEnvironment, instance: Ec2Instance): Promise<void> {
  await changeInstance(environment, instance, { state: 'terminated', terminatedAtMs: 0 });
}

/** EC2 shows it still, as terminated. */
export async function terminateInstance(environment: TestEnvironment, instance: Ec2Instance): Promise<void> {
  await changeInstance(environment, instance, { state: 'terminated', terminatedAtMs: Date.now() });
}

export function providerIdOf({ zone, instanceId }: Ec2Instance): string {
  return `aws:///${zone}/${instanceId}`;
}

/** The questions to EC2 that name this. */
export async function requestsAbout(
  { aws }: TestEnvironment,
  text: string,
): ReturnType<TestEnvironment['aws']['requests']> {
  return (await aws.requests()).filter(({ service, body }) => service === 'ec2' && body.includes(text));
}

/** Until EC2 was asked so many times more, of this instance if one is named. */
export async function untilLookedUp(environment: TestEnvironment, times: number, instanceId: string): Promise<void> {
  const before = (await requestsAbout(environment, instanceId)).length;
  await waitUntil({ what: `${instanceId} asked for ${String(times)} times`, withinMs, everyMs }, async () =>
    (await requestsAbout(environment, instanceId)).length >= before + times ? true : undefined,
  );
}
