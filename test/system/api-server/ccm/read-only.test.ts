import { explain, quickFlags, soonMs, startController, untilSaid } from './controller.ts';
import { readNode, register, registerKnown, writesTo } from './nodes.ts';
import { onCluster } from './stage.ts';
import { launch, providerIdOf, untilAsked, vanish } from './world.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0 };

await onCluster('--dry-run and explain say what they would do, and write nothing', async (t, world) => {
  const [fresh, lost, awake] = await launch(world, 3, 6);
  if (!fresh || !lost || !awake) throw new Error('a fleet of three has three instances');
  await register(world, { name: 'fresh', providerID: providerIdOf(fresh), isReady: true, isNew: true });
  await registerKnown(world, 'awake', awake, true);
  await registerKnown(world, 'lost', lost, false);
  const foreign = 'gce://project/us-west1-a/instance';
  await register(world, { name: 'elsewhere', providerID: foreign, isReady: false, isNew: false });
  await vanish(world, lost);
  const wishes = { deletion, flags: [] };

  await t.test('explain', async (t) => {
    const [text, json, elsewhere, nobody] = await Promise.all([
      explain(world, wishes, ['lost']),
      explain(world, wishes, ['fresh', '--json']),
      explain(world, wishes, ['elsewhere']),
      explain(world, wishes, ['nobody']),
    ]);
    t.equal(text.code, 0, text.stderr);
    t.match(text.stdout, new RegExp(`^node lost\n  owner: ours, by providerID ${providerIdOf(lost)}\n`));
    t.match(text.stdout, /the cloud says: gone, not-found: /);
    t.match(text.stdout, /deletion: /);
    t.equal(json.code, 0, json.stderr);
    t.match(JSON.parse(json.stdout), { node: 'fresh', finding: 'present, running', wouldWrite: { kind: 'plan' } });
    t.match(elsewhere.stdout, /owner: foreign: providerID gce:/);
    t.equal(nobody.code, 1);
    t.match(nobody.stderr, /there is no Node nobody; to mend it: /);
  });

  await t.test('--dry-run', async (t) => {
    const controller = await startController(world, { deletion, flags: [...quickFlags, '--dry-run', '-v', '1'] });
    await untilSaid(controller.said, /fresh/, soonMs);
    await untilSaid(controller.said, /would.*delete.*lost|delete.*lost/i, soonMs);
    await untilAsked(world, 3, lost.instanceId);
    t.ok(await readNode(world, 'lost'));
  });

  t.strictSame(await writesTo(world, undefined), [], 'no Node was written');
  const events = (await world.plane.auditEvents()).filter(
    ({ userAgent = '', verb, objectRef }) =>
      userAgent.startsWith('polycloud-ccm/') && verb === 'create' && objectRef?.resource === 'events',
  );
  t.strictSame(events, [], 'nor an event');
});
