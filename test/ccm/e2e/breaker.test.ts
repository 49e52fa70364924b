import t from 'tap';
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
  untilNode,
  untilSaid,
  vanish,
  writesTo,
} from './world.ts';

const found = await findPrograms();
const flags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];
const deletion = { sightingsApartMs: 300, notFoundSpanMs: 900, notFoundMinAgeMs: 0 };

await t.test('60 % of a scope missing at once stops deletions until somebody confirms', needing(found), async (t) => {
  const world = await startWorld(t);
  const instances = await launch(world, 10, 5);
  const fleet = instances.map((instance, index) => ({ instance, name: `node-${String(index)}` }));
  for (const { instance, name } of fleet) {
    await register(world, { name, providerID: providerIdOf(instance), isReady: true, isNew: false });
  }
  const controller = await startController(world, { deletion, flags });
  t.teardown(() => controller.stop());
  const missing = fleet.slice(0, 6);
  const [first] = missing;
  if (first === undefined) throw new Error('nobody is missing');
  await untilAsked(world, 1, first.instance.instanceId);
  for (const { instance } of missing) await vanish(world, instance);
  await Promise.all(missing.map(({ name }) => setReady(world, name, false)));

  await untilSaid(controller.said, /polycloud\.dev\/confirm-deletions=\w+/);
  await untilNode(world, first.name, 'reports the breaker', ({ status }) =>
    (status.conditions ?? []).some(({ reason }) => reason === 'DeletionsStopped'),
  );
  await untilAsked(world, 10, first.instance.instanceId);
  for (const { name } of fleet) t.ok(await readNode(world, name), `${name} is kept`);

  const word = await wordOf(first.name);
  await annotate('not-the-word');
  await untilAsked(world, 5, first.instance.instanceId);
  t.ok(await readNode(world, first.name), 'another word does nothing');
  await annotate(word);
  await Promise.all(missing.map(({ name }) => untilDeleted(world, name)));
  const deletes = (await writesTo(world, undefined)).filter(({ verb }) => verb === 'delete');
  t.strictSame(
    deletes.map(({ objectRef }) => objectRef?.name ?? '').toSorted(),
    missing.map(({ name }) => name),
    'those that are missing, and nobody else',
  );

  async function annotate(value: string): Promise<void> {
    const annotations = { 'polycloud.dev/confirm-deletions': value };
    await world.plane.ask('PATCH', `/api/v1/nodes/${String(first?.name)}`, { metadata: { annotations } });
  }

  /** As an operator reads it on the Node. */
  async function wordOf(name: string): Promise<string> {
    const node = await untilNode(world, name, 'names the word', () => true);
    const message = node.status.conditions?.find(({ reason }) => reason === 'DeletionsStopped')?.message ?? '';
    const named = /confirms with (\w+)/.exec(message)?.[1];
    if (named === undefined) throw new Error(`no word in: ${message}`);
    return named;
  }
});
