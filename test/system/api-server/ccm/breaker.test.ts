import { onCluster } from './on-cluster.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { explain, quickFlags, soonMs, startController, untilLogged } from './controller-process.ts';
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
import { launchInstances, untilLookedUp, removeInstance } from './environment.ts';

const deletion = { sightingsApartMs: 300, notFoundSpanMs: 900, notFoundMinAgeMs: 0 };

await onCluster('60 % of a scope missing at once stops deletions until somebody confirms', async (t, world) => {
  const instances = await launchInstances(world, 10, 5);
  const fleet = instances.map((instance, index) => ({ instance, name: `node-${String(index)}` }));
  for (const { instance, name } of fleet) {
    await registerKnown(world, name, instance, true);
  }
  const controller = await startController(world, { deletion, flags: quickFlags });
  const missing = fleet.slice(0, 7);
  const healthy = fleet.at(-1)?.name ?? '';
  const atOnce = missing.slice(0, 6);
  const [first] = missing;
  if (first === undefined) throw new Error('nobody is missing');
  await untilLookedUp(world, 1, first.instance.instanceId);
  for (const { instance } of atOnce) await removeInstance(world, instance);
  await Promise.all(atOnce.map(({ name }) => setReady(world, name, false)));

  await untilLogged(controller.output, /polycloud\.dev\/confirm-deletions=\w+/, soonMs);
  await untilNode(world, first.name, 'reports the breaker', (node) => hasReport(node, 'DeletionsStopped'));
  await untilLookedUp(world, 10, first.instance.instanceId);
  for (const { name } of fleet) t.ok(await readNode(world, name), `${name} is kept`);

  const oldWord = await wordShown((word) => word !== undefined);
  const [seventh] = missing.slice(6);
  if (seventh === undefined) throw new Error('nobody is left');
  await removeInstance(world, seventh.instance);
  await setReady(world, seventh.name, false);
  await untilNode(world, seventh.name, 'reports the breaker', (node) => hasReport(node, 'DeletionsStopped'));
  const word = await wordShown((shown) => shown !== undefined && shown !== oldWord);
  t.match(controller.output(), `polycloud.dev/confirm-deletions=${word}`, 'the log has it too');
  const places = ['/api/v1/nodes', '/api/v1/events'].map(async (path) => (await world.plane.ask('GET', path)).body);
  for (const place of await Promise.all(places)) {
    for (const each of [oldWord, word]) t.notMatch(JSON.stringify(place), each, 'no kubelet can read it');
  }
  const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager';
  await waitUntil({ what: 'the word on the Lease', withinMs: soonMs, everyMs: 100 }, async () => {
    const { body } = await world.plane.ask('GET', lease);
    return JSON.stringify(body).includes(word) || undefined;
  });
  t.equal(await mayKubeletReadLease(), false);
  const { stdout } = await explain(world, { deletion, flags: [] }, [first.name]);
  t.match(stdout, `to confirm: kubectl annotate node node-0 polycloud.dev/confirm-deletions=${word}`);

  await annotate(first.name, oldWord);
  await untilLookedUp(world, 5, first.instance.instanceId);
  t.ok(await readNode(world, first.name), 'the old word does nothing');
  await annotate(healthy, word);
  await untilLookedUp(world, 5, first.instance.instanceId);
  t.ok(await readNode(world, first.name), 'on a Node that is not missing it does nothing');
  await annotate(first.name, word);
  await Promise.all(missing.map(({ name }) => untilDeleted(world, name)));
  t.strictSame(
    namesOf(await deletionsBy(world)),
    missing.map(({ name }) => name),
    'those that are missing, and nobody else',
  );

  async function annotate(name: string, value: string): Promise<void> {
    const annotations = { 'polycloud.dev/confirm-deletions': value };
    await world.plane.ask('PATCH', `/api/v1/nodes/${name}`, { metadata: { annotations } });
  }

  async function mayKubeletReadLease(): Promise<boolean | undefined> {
    const resourceAttributes = {
      verb: 'get',
      group: 'coordination.k8s.io',
      resource: 'leases',
      namespace: 'kube-system',
    };
    const spec = {
      user: `system:node:${healthy}`,
      groups: ['system:nodes', 'system:authenticated'],
      resourceAttributes,
    };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const { body } = await world.plane.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
    return (body as { status?: { allowed?: boolean } }).status?.allowed;
  }

  /** As an operator reads it. */
  async function wordShown(isIt: (word: string | undefined) => boolean): Promise<string> {
    return waitUntil({ what: 'the word on /statusz', withinMs: soonMs, everyMs: 50 }, async () => {
      const shown = /polycloud\.dev\/confirm-deletions=(\w+)/.exec((await controller.page('/statusz')).text)?.[1];
      return isIt(shown) ? shown : undefined;
    });
  }
});
