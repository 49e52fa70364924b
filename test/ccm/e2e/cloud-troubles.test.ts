import t from 'tap';
import type { Ec2Instance } from '../../lab/clouds/aws/ec2-instance.ts';
import { usualEc2Behaviour } from '../../lab/clouds/aws/ec2-instance.ts';
import { initialAwsState } from '../../lab/clouds/aws/state.ts';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { needing } from '../../lab/needing.ts';
import { startController } from './controller.ts';
import {
  launch,
  providerIdOf,
  readNode,
  register,
  setReady,
  startWorld,
  untilAsked,
  untilDeleted,
  vanish,
  writesTo,
} from './world.ts';
import type { World } from './world.ts';

const found = await findPrograms();
const flags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];
/** The breaker has a test of its own. */
const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };
const user = initialAwsState().users['lab-user'];

interface Trouble {
  readonly name: string;
  /** How often each is asked for meanwhile: after failures the pauses grow. */
  readonly asked: number;
  begin(world: World, silent: Ec2Instance): Promise<void>;
}

const troubles: readonly Trouble[] = [
  { name: 'an empty list', asked: 4, begin: ({ aws }) => aws.update({ ec2: { answers: 'empty' } }) },
  {
    name: 'ids left out',
    asked: 4,
    begin: ({ aws }, { instanceId }) => aws.update({ ec2: { leftOut: [instanceId] } }),
  },
  {
    name: 'credentials of another account, to which every id is unknown',
    asked: 4,
    begin: async ({ aws }) => {
      await aws.update({ ec2: { foreign: 'not-found' } });
      await aws.update({ users: { 'lab-user': { ...userOrThrow(), accountId: '999999999999' } } });
    },
  },
  {
    name: 'permission withdrawn',
    asked: 2,
    begin: ({ aws }) => aws.update({ users: { 'lab-user': { ...userOrThrow(), permissions: [] } } }),
  },
  { name: 'throttling', asked: 2, begin: ({ aws }) => aws.addFault({ service: 'ec2', kind: 'throttle' }) },
  {
    name: 'errors of the server',
    asked: 2,
    begin: ({ aws }) => aws.addFault({ service: 'ec2', kind: 'status', status: 503 }),
  },
  { name: 'answers in no format', asked: 2, begin: ({ aws }) => aws.addFault({ service: 'ec2', kind: 'garbage' }) },
  { name: 'answers without a body', asked: 2, begin: ({ aws }) => aws.addFault({ service: 'ec2', kind: 'empty' }) },
  { name: 'answers cut off', asked: 2, begin: ({ aws }) => aws.addFault({ service: 'ec2', kind: 'cut-off' }) },
];

await t.test('whatever EC2 does, only what is gone goes, and soon after', needing(found), async (t) => {
  const world = await startWorld(t);
  const [awake, silent, ...doomed] = await launch(world, 2 + troubles.length, 3);
  // A scope in which no Ready node can speak for the others.
  const [lonely] = await launch({ ...world, region: 'eu-west-1' }, 1, 4);
  if (!awake || !silent || !lonely) throw new Error('the fleets are too small');
  const initial = { isNew: false, isReady: true };
  await register(world, { ...initial, name: 'awake', providerID: providerIdOf(awake) });
  await register(world, { ...initial, name: 'silent', providerID: providerIdOf(silent), isReady: false });
  await register(world, { ...initial, name: 'lonely', providerID: providerIdOf(lonely), isReady: false });
  const controller = await startController(world, { deletion, flags });
  t.teardown(() => controller.stop());
  await untilAsked(world, 2, silent.instanceId);
  await untilAsked(world, 2, lonely.instanceId);

  for (const [index, trouble] of troubles.entries()) {
    await t.test(trouble.name, async (t) => {
      const instance = doomed[index];
      if (instance === undefined) throw new Error('an instance for each trouble');
      const name = `doomed-${String(index)}`;
      await register(world, { ...initial, name, providerID: providerIdOf(instance) });
      await untilAsked(world, 1, instance.instanceId);
      await trouble.begin(world, silent);
      await vanish(world, instance);
      await setReady(world, name, false);
      await Promise.all([silent, lonely].map(({ instanceId }) => untilAsked(world, trouble.asked, instanceId)));
      for (const kept of ['awake', 'silent', 'lonely']) t.ok(await readNode(world, kept), `${kept} is kept`);
      if (trouble.name !== 'ids left out') t.ok(await readNode(world, name), 'nothing is known, so nothing goes');
      await end(world);
      await untilDeleted(world, name);
    });
  }

  const deletes = (await writesTo(world, undefined)).filter(({ verb }) => verb === 'delete');
  t.strictSame(
    deletes.map(({ objectRef }) => objectRef?.name),
    troubles.map((_, index) => `doomed-${String(index)}`),
    'in the end each of them, once, and nobody else',
  );
  t.notOk(showsSecret(controller.said()), 'no secret was said');
});

async function end({ aws }: World): Promise<void> {
  await aws.clearFaults();
  await aws.update({ ec2: usualEc2Behaviour, users: { 'lab-user': userOrThrow() } });
}

function userOrThrow(): NonNullable<typeof user> {
  if (user === undefined) throw new Error('the lab has no user');
  return user;
}
