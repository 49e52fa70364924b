import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { soonMs, startController } from './controller-process.ts';
import type { ControllerProcess } from './controller-process.ts';
import type { TestEnvironment } from './environment.ts';
import { startMixedClouds } from './mixed-clouds.ts';
import type { MixedCloud } from './mixed-clouds.ts';
import {
  deletionsBy,
  isInitialised,
  namesOf,
  readNodes,
  register,
  setReady,
  untilDeleted,
  untilNode,
  writesTo,
} from './nodes.ts';
import { onCluster } from './on-cluster.ts';

/** One wrong result is enough for a deletion. */
const deletion = {
  sightingsApartMs: 100,
  terminatedSightings: 1,
  notFoundSightings: 1,
  notFoundSpanMs: 0,
  notFoundMinAgeMs: 0,
  breakerNodes: 1_000,
};
/** As often as Azure's rate limit allows, with some requests for each machine. */
const flags = ['--node-monitor-period', '1s', '--node-status-update-frequency', '1s'];
/** The machines of each cloud: the Node of `late` is registered during the outage of another cloud. */
const roles = ['ready', 'silent', 'lost', 'late'] as const;
const atStart = roles.filter((role) => role !== 'late');
type Role = (typeof roles)[number];

await onCluster('one controller, with Nodes of four clouds', async (t, environment) => {
  const { clouds, settings } = await startMixedClouds(t, environment, roles.length);
  const names = clouds.flatMap((cloud) => atStart.map((role) => nameOf(cloud, role)));
  for (const cloud of clouds) for (const role of atStart) await registerNew(environment, cloud, role);
  const controller = await startController(environment, { deletion, flags, ...settings });

  await t.test('all are initialised, and then nothing is written', async (t) => {
    for (const name of names) await untilNode(environment, name, 'initialised', isInitialised);
    for (const name of names) t.equal((await writesTo(environment, name)).length, 2, name);
    await Promise.all(clouds.map((cloud) => untilLookedUp(controller, cloud, 'success', 3)));
    t.equal((await writesTo(environment, undefined)).length, 2 * names.length);
  });

  for (const [index, cloud] of clouds.entries()) {
    const other = clouds[(index + 1) % clouds.length] ?? cloud;
    await t.test(`${cloud.name} is out: its Nodes stay, and ${other.name} works`, async (t) => {
      await cloud.beginOutage();
      await setReady(environment, nameOf(cloud, 'silent'), false);
      await setReady(environment, nameOf(other, 'lost'), false);
      const before = await writesTo(environment, undefined);
      const failing = untilLookedUp(controller, cloud, 'error', 2);
      await registerNew(environment, other, 'late');
      await other.remove(roles.indexOf('lost'));
      await untilNode(environment, nameOf(other, 'late'), 'initialised', isInitialised);
      await untilDeleted(environment, nameOf(other, 'lost'));
      await failing;
      await cloud.endOutage();
      await untilLookedUp(controller, cloud, 'success', 1);
      await setReady(environment, nameOf(cloud, 'silent'), true);
      const written = (await writesTo(environment, undefined)).slice(before.length);
      t.strictSame(
        [...new Set(namesOf(written))],
        [nameOf(other, 'late'), nameOf(other, 'lost')],
        'nothing else was written',
      );
    });
  }

  t.strictSame(namesOf(await deletionsBy(environment)), clouds.map((cloud) => nameOf(cloud, 'lost')).toSorted());
  t.equal((await readNodes(environment)).length, clouds.length * (roles.length - 1));
});

function nameOf({ name }: MixedCloud, role: Role): string {
  return `${name}-${role}`;
}

async function registerNew(environment: TestEnvironment, cloud: MixedCloud, role: Role): Promise<void> {
  const providerID = cloud.providerIds[roles.indexOf(role)];
  if (providerID === undefined) throw new Error('there are fewer machines');
  await register(environment, { name: nameOf(cloud, role), providerID, isReady: true, isNew: true });
}

/** So many look-ups more with this result. */
async function untilLookedUp(
  { page }: ControllerProcess,
  { name }: MixedCloud,
  result: 'success' | 'error',
  times: number,
): Promise<void> {
  const series = new RegExp(
    `^polycloud_ccm_looks_total\\{cloud="${name}",.*result="${result}"\\} (?<count>\\d+)$`,
    'm',
  );
  const count = async (): Promise<number> => Number(series.exec((await page('/metrics')).text)?.groups?.['count'] ?? 0);
  const before = await count();
  await waitUntil(
    { what: `${times} look-ups in ${name} end with ${result}`, withinMs: soonMs, everyMs: 50 },
    async () => ((await count()) >= before + times ? true : undefined),
  );
}
