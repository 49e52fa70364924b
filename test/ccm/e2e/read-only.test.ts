import t from 'tap';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { needing } from '../../lab/needing.ts';
import { explain, startController } from './controller.ts';
import {
  launch,
  providerIdOf,
  readNode,
  register,
  startWorld,
  untilAsked,
  untilSaid,
  vanish,
  writesTo,
} from './world.ts';

const found = await findPrograms();
const flags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];
const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0 };

await t.test('--dry-run and explain say what they would do, and write nothing', needing(found), async (t) => {
  const world = await startWorld(t);
  const [fresh, lost, awake] = await launch(world, 3, 6);
  if (!fresh || !lost || !awake) throw new Error('a fleet of three has three instances');
  await register(world, { name: 'fresh', providerID: providerIdOf(fresh), isReady: true, isNew: true });
  await register(world, { name: 'awake', providerID: providerIdOf(awake), isReady: true, isNew: false });
  await register(world, { name: 'lost', providerID: providerIdOf(lost), isReady: false, isNew: false });
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
    for (const { stdout, stderr } of [text, json, elsewhere, nobody]) t.notOk(showsSecret(stdout + stderr));
  });

  await t.test('--dry-run', async (t) => {
    const controller = await startController(world, { deletion, flags: [...flags, '--dry-run', '-v', '1'] });
    t.teardown(() => controller.stop());
    await untilSaid(controller.said, /fresh/);
    await untilSaid(controller.said, /would.*delete.*lost|delete.*lost/i);
    await untilAsked(world, 3, lost.instanceId);
    t.ok(await readNode(world, 'lost'));
    t.notOk(showsSecret(controller.said()), 'no secret was said');
  });

  t.strictSame(await writesTo(world, undefined), [], 'no Node was written');
  const events = (await world.plane.auditEvents()).filter(
    ({ userAgent = '', verb, objectRef }) =>
      userAgent.startsWith('polycloud-ccm/') && verb === 'create' && objectRef?.resource === 'events',
  );
  t.strictSame(events, [], 'nor an event');
});
