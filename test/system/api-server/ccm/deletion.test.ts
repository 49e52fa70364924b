import type t from 'tap';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { quickFlags, soonMs, startController, untilLogged } from './controller-process.ts';
import { hasReport, readNode, register, setReady, untilDeleted, untilNode, writesTo } from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import {
  changeInstance,
  launchInstances,
  providerIdOf,
  terminateInstance,
  untilLookedUp,
  removeInstance,
} from './environment.ts';

const notFoundSpanMs = 1_500;
const deletion = { sightingsApartMs: 400, notFoundSpanMs, notFoundMinAgeMs: 6_000 };
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';

await onCluster('what is proven gone goes, and nothing else', async (t, world) => {
  const names = ['alive', 'silent', 'ended', 'lost', 'ready-but-gone', 'halted', 'ours-no-more'];
  const instances = await launchInstances(world, names.length, 2);
  const nodes = new Map<string, Node>();
  for (const [index, name] of names.entries()) {
    const labels = name === 'ours-no-more' ? { 'polycloud.dev/cloud': 'false' } : {};
    const providerID = providerIdOf(instanceOf(name));
    nodes.set(name, await register(world, { name, providerID, isReady: true, isNew: false, labels }));
    t.equal(instances[index], instanceOf(name));
  }
  const elsewhere = 'gce://project/us-west1-a/instance';
  const unreadable = 'aws:///us-west-2a/not-an-instance';
  await register(world, { name: 'elsewhere', providerID: elsewhere, isReady: false, isNew: false });
  await register(world, { name: 'unreadable', providerID: unreadable, isReady: false, isNew: false });

  function instanceOf(name: string): (typeof instances)[number] {
    const instance = instances[names.indexOf(name)];
    if (instance === undefined) throw new Error(`no instance for ${name}`);
    return instance;
  }

  const { output: said } = await startController(world, { deletion, flags: quickFlags });
  await untilLookedUp(world, 1, instanceOf('lost').instanceId);
  await removeInstance(world, instanceOf('ready-but-gone'));
  await removeInstance(world, instanceOf('ours-no-more'));
  await setReady(world, 'ours-no-more', false);
  await setReady(world, 'silent', false);

  const ended = t.test('terminated', async (t) => {
    await terminateInstance(world, instanceOf('ended'));
    await setReady(world, 'ended', false);
    await untilDeleted(world, 'ended');
    await checkDelete(t, 'ended');
  });
  const lost = t.test('not found', async (t) => {
    const goneAtMs = Date.now();
    await removeInstance(world, instanceOf('lost'));
    await setReady(world, 'lost', false);
    await untilDeleted(world, 'lost');
    const deleted = await checkDelete(t, 'lost');
    const atMs = Date.parse(deleted.requestReceivedTimestamp);
    t.ok(atMs - goneAtMs >= notFoundSpanMs, 'after the whole span');
    const createdAtMs = Date.parse(nodes.get('lost')?.metadata.creationTimestamp ?? '');
    t.ok(atMs - createdAtMs >= deletion.notFoundMinAgeMs, 'and not while the Node was young');
  });
  const halted = t.test('stopped', async () => {
    await changeInstance(world, instanceOf('halted'), { state: 'stopped' });
    await setReady(world, 'halted', false);
    await untilNode(world, 'halted', 'has the shutdown taint', (node) => hasTaint(node));
    await changeInstance(world, instanceOf('halted'), { state: 'running' });
    await setReady(world, 'halted', true);
    await untilNode(world, 'halted', 'has the shutdown taint no more', (node) => !hasTaint(node));
  });
  await Promise.all([ended, lost, halted]);

  await t.test('the log has the start, the lead, each taint and each deletion', async (t) => {
    t.match(said(), /\] "Starting" program="polycloud-ccm" clouds=\["aws"\] identity="[^"]+" dryRun=false version="/);
    t.match(said(), /\] "Leading" identity="/);
    for (const name of ['ended', 'lost']) {
      await untilLogged(said, lineAbout('Node deleted', name, 'evidence="[^"]+'), soonMs);
    }
    const taint = `taint="${shutdown}"`;
    for (const line of ['Taint set', 'Taint removed']) {
      await untilLogged(said, lineAbout(line, 'halted', taint), soonMs);
    }
    const report = 'reason="InstanceGoneButReady"';
    await untilLogged(said, lineAbout('Instance condition written', 'ready-but-gone', report), soonMs);
    t.equal(said().split('"Node deleted"').length - 1, 2, 'and of no other deletion');
  });

  function lineAbout(message: string, name: string, keys: string): RegExp {
    const uid = nodes.get(name)?.metadata.uid ?? '';
    const whose = `node="${name}" uid="${uid}" providerID="${providerIdOf(instanceOf(name))}"`;
    return new RegExp(`\\] "${message}" ${whose} ${keys}`);
  }

  await t.test('all others are kept', async (t) => {
    await untilLookedUp(world, 5, instanceOf('silent').instanceId);
    await untilNode(world, 'ready-but-gone', 'reported', (node) => hasReport(node, 'InstanceGoneButReady'));
    for (const name of ['alive', 'silent', 'ready-but-gone', 'halted', 'ours-no-more', 'elsewhere', 'unreadable']) {
      t.ok(await readNode(world, name), name);
    }
    for (const name of ['ours-no-more', 'elsewhere', 'unreadable']) {
      t.strictSame(await writesTo(world, name), [], `${name} was never written`);
    }
  });

  async function checkDelete(t: Tap, name: string): Promise<Awaited<ReturnType<typeof writesTo>>[number]> {
    const event = (await writesTo(world, name)).find(({ verb }) => verb === 'delete');
    if (event === undefined) throw new Error(`the audit log has no delete of ${name}`);
    t.match(event.requestObject, { preconditions: { uid: nodes.get(name)?.metadata.uid } }, 'with its UID');
    return event;
  }
});

type Tap = Pick<typeof t, 'match'>;

function hasTaint({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === shutdown);
}
