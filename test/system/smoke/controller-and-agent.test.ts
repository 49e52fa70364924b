import t from 'tap';
import type { Node } from '../../../schemas/kubernetes.ts';
import { sharedControlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { requires } from '../../lab/requires.ts';
import { quickFlags, soonMs, startController, untilLogged } from '../api-server/ccm/controller-process.ts';
import {
  hasReport,
  isInitialised,
  readNode,
  register,
  registerKnown,
  setReady,
  untilDeleted,
  untilNode,
} from '../api-server/ccm/nodes.ts';
import {
  changeInstance,
  launchInstances,
  providerIdOf,
  startEnvironment,
  terminateInstance,
  untilLookedUp,
  removeInstance,
} from '../api-server/ccm/environment.ts';
import { startAgent } from '../api-server/node-agent/agent-process.ts';
import { isInitialized, register as registerOwn, untilNode as untilOwn } from '../api-server/node-agent/nodes.ts';
import {
  ownProviderId,
  setInstance,
  startMachineEnvironment,
  environmentSupport,
} from '../api-server/node-agent/environment.ts';

const deletion = { sightingsApartMs: 300, notFoundSpanMs: 900, notFoundMinAgeMs: 0 };
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';

t.setTimeout(120_000);

await t.test('controller and agent with a real API server', requires(await environmentSupport()), async (t) => {
  const plane = await sharedControlPlaneFor(t);

  await t.test('the agent initialises its own Node', async (t) => {
    const machine = await startMachineEnvironment(t, plane);
    await setInstance(machine, {});
    await registerOwn(machine, { name: 'own' });
    const agent = startAgent(machine, { nodeName: 'own' });
    const { spec, status } = await untilOwn(machine, 'own', 'is initialised', isInitialized);
    t.equal(spec.providerID, ownProviderId);
    t.match(status.addresses?.[0], { type: 'InternalIP', address: '10.0.0.20' });
    await untilLogged(agent.output, /"Node initialised" node="own"/, soonMs);
    await plane.ask('DELETE', '/api/v1/nodes/own');
  });

  await t.test('the controller', async (t) => {
    const world = await startEnvironment(t, plane);
    const fleet = (await launchInstances(world, 10, 1)).map((instance, index) => ({
      instance,
      name: `node-${String(index)}`,
    }));
    const [fresh, halted, ended, ...others] = fleet;
    if (!fresh || !halted || !ended) throw new Error('a fleet of ten has three instances');
    await register(world, { name: fresh.name, providerID: providerIdOf(fresh.instance), isReady: true, isNew: true });
    for (const { name, instance } of [halted, ended, ...others]) await registerKnown(world, name, instance, true);
    const controller = await startController(world, { deletion, flags: quickFlags });

    await t.test('initialises a new Node', async (t) => {
      const node = await untilNode(world, fresh.name, 'initialised', isInitialised);
      t.equal(node.metadata.labels?.['topology.kubernetes.io/zone'], fresh.instance.zone);
    });

    await t.test('taints a Node whose instance is stopped', async (t) => {
      await changeInstance(world, halted.instance, { state: 'stopped' });
      await setReady(world, halted.name, false);
      const isTainted = ({ spec }: Node): boolean => (spec.taints ?? []).some(({ key }) => key === shutdown);
      t.ok(await untilNode(world, halted.name, 'has the shutdown taint', isTainted));
    });

    await t.test('deletes a Node whose instance is terminated', async (t) => {
      await terminateInstance(world, ended.instance);
      await setReady(world, ended.name, false);
      await untilDeleted(world, ended.name);
      t.equal(await readNode(world, ended.name), undefined);
      await untilLogged(controller.output, new RegExp(`"Node deleted" node="${ended.name}" .*evidence="`), soonMs);
    });

    await t.test('deletes none when most are missing at once, and reports it', async (t) => {
      for (const { instance } of others) await removeInstance(world, instance);
      await Promise.all(others.map(({ name }) => setReady(world, name, false)));
      await untilLogged(controller.output, /polycloud\.dev\/confirm-deletions=\w+/, soonMs);
      const [first] = others;
      if (first === undefined) throw new Error('nobody is missing');
      await untilNode(world, first.name, 'reports the breaker', (node) => hasReport(node, 'DeletionsStopped'));
      await untilLookedUp(world, 5, first.instance.instanceId);
      for (const { name } of others) t.ok(await readNode(world, name), `${name} is kept`);
    });
  });
});
