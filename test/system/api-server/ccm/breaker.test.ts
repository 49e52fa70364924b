import { onCluster } from './stage.ts';
import { quickFlags, soonMs, startController, untilSaid } from './controller.ts';
import {
  deletionsBy,
  hasReport,
  namesOf,
  readNode,
  registerKnown,
  setReady,
  untilDeleted,
  untilNode,
} from './nodes.ts';
import { launch, untilAsked, vanish } from './world.ts';

const deletion = { sightingsApartMs: 300, notFoundSpanMs: 900, notFoundMinAgeMs: 0 };

await onCluster('60 % of a scope missing at once stops deletions until somebody confirms', async (t, world) => {
  const instances = await launch(world, 10, 5);
  const fleet = instances.map((instance, index) => ({ instance, name: `node-${String(index)}` }));
  for (const { instance, name } of fleet) {
    await registerKnown(world, name, instance, true);
  }
  const controller = await startController(world, { deletion, flags: quickFlags });
  const missing = fleet.slice(0, 7);
  const atOnce = missing.slice(0, 6);
  const [first] = missing;
  if (first === undefined) throw new Error('nobody is missing');
  await untilAsked(world, 1, first.instance.instanceId);
  for (const { instance } of atOnce) await vanish(world, instance);
  await Promise.all(atOnce.map(({ name }) => setReady(world, name, false)));

  await untilSaid(controller.said, /polycloud\.dev\/confirm-deletions=\w+/, soonMs);
  await untilNode(world, first.name, 'reports the breaker', (node) => hasReport(node, 'DeletionsStopped'));
  await untilAsked(world, 10, first.instance.instanceId);
  for (const { name } of fleet) t.ok(await readNode(world, name), `${name} is kept`);

  const oldWord = await wordOf(first.name);
  const [seventh] = missing.slice(6);
  if (seventh === undefined) throw new Error('nobody is left');
  await vanish(world, seventh.instance);
  await setReady(world, seventh.name, false);
  await untilNode(world, seventh.name, 'reports the breaker', (node) => hasReport(node, 'DeletionsStopped'));
  const word = await wordOf(seventh.name);
  t.not(word, oldWord, 'with another one missing it is another word');
  await untilNode(world, first.name, 'names the new word', (node) => JSON.stringify(node.status).includes(word));
  t.match((await controller.page('/statusz')).text, `polycloud.dev/confirm-deletions=${word}`);

  await annotate(oldWord);
  await untilAsked(world, 5, first.instance.instanceId);
  t.ok(await readNode(world, first.name), 'the old word does nothing');
  await annotate(word);
  await Promise.all(missing.map(({ name }) => untilDeleted(world, name)));
  t.strictSame(
    namesOf(await deletionsBy(world)),
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
