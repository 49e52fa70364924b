import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createAuthority } from '../../../lab/authority.ts';
import { gcp } from '../../../lab/clouds/gcp/cloud.ts';
import { computeFleetOf, keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { GcpState } from '../../../lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../../lab/clouds/loopback.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { quickFlags, startController, untilLogged } from './controller-process.ts';
import type { ControllerProcessSettings } from './controller-process.ts';
import {
  deletionsBy,
  isInitialised,
  namesOf,
  readNode,
  register,
  setReady,
  takeOver,
  untilDeleted,
  untilNode,
} from './nodes.ts';
import { onCluster } from './on-cluster.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };

await onCluster('Nodes on Google Cloud', async (t, environment) => {
  const { lab, settings } = await startGoogle(t);
  const known = { awake: instanceOf(1), halted: instanceOf(2), adopted: instanceOf(3), replaced: instanceOf(4) };
  const { awake, halted, adopted, replaced } = known;
  const [byName, silent, lost] = [instanceOf(5), instanceOf(6), instanceOf(7)];
  const all = [...Object.values(known), byName, silent, lost];
  await lab.update({ computeInstances: Object.fromEntries(all.map((each) => [keyOf(each), each])) });
  for (const each of [...Object.values(known), silent, lost]) {
    const { name } = each;
    await register(environment, { name, providerID: providerIdOf(each), isReady: true, isNew: false, bootID: 'first' });
  }
  const newName = `${byName.name}.c.lab-project.internal`;
  await register(environment, { name: newName, isReady: true, isNew: true });
  const { output } = await startController(environment, { deletion, flags: quickFlags, ...settings });

  await t.test('a new one is initialised by its name', async (t) => {
    const node = await untilNode(environment, newName, 'initialised', isInitialised);
    t.equal(node.spec.providerID, providerIdOf(byName));
    t.equal(node.metadata.annotations?.[keys.instanceId], byName.id);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': byName.machineType,
      'topology.kubernetes.io/region': 'us-central1',
      'topology.kubernetes.io/zone': byName.zone,
    });
    t.match(node.status.addresses, [{ type: 'InternalIP', address: byName.interfaces[0]?.ip }]);
  });

  await t.test('known ones get the ids of their instances', async () => {
    for (const { name, id } of Object.values(known)) await untilNode(environment, name, 'has the id', hasId(id));
  });

  await t.test('a zone that cannot be reached: nothing is deleted there', async (t) => {
    await lab.update({ compute: { unreachableZones: [silent.zone] } });
    await setReady(environment, silent.name, false);
    await untilLookedUp(lab, silent, 3);
    await lab.update({ compute: { unreachableZones: [] } });
    t.ok(await readNode(environment, silent.name));
  });

  await t.test('stopped, adopted, replaced and deleted instances', async (t) => {
    // One by one from now on, so that it is known which machine has which Node.
    for (const { name } of [halted, replaced, adopted, lost]) await setReady(environment, name, false);
    for (const each of [replaced, adopted]) await untilLookedUp(lab, each, 2);
    await setReady(environment, adopted.name, true);
    await lab.update({
      computeInstances: {
        [keyOf(halted)]: { ...halted, status: 'TERMINATED' },
        [keyOf(adopted)]: { ...adopted, id: '7' },
        [keyOf(replaced)]: { ...replaced, id: '8' },
      },
      compute: { hiddenFromGet: [keyOf(lost)], leftOutOfLists: [keyOf(lost)] },
    });
    await takeOver(environment, adopted.name, 'second');

    await t.test('stopped: a taint, and no deletion', async () => {
      await untilNode(environment, halted.name, 'tainted', isShutDown);
    });
    await t.test('the name has another instance, whose kubelet has the Node: it is adopted', async () => {
      await untilNode(environment, adopted.name, 'adopted', hasId('7'));
    });
    await t.test('the name has another instance, whose kubelet did not come: the Node is deleted', async () => {
      await untilDeleted(environment, replaced.name);
      await untilLogged(output, /"Node deleted" .*replaced by 8/, 20_000);
    });
    await t.test('an instance that does not exist any more: the Node is deleted', async () => {
      await untilDeleted(environment, lost.name);
      await untilLogged(output, /"Node deleted" .*was not found/, 20_000);
    });
    t.strictSame(namesOf(await deletionsBy(environment)), [lost.name, replaced.name].toSorted());
    t.ok(await readNode(environment, awake.name));
  });
});

interface Google {
  readonly lab: LabCloud<GcpState>;
  readonly settings: Pick<ControllerProcessSettings, 'clouds' | 'config' | 'env'>;
}

async function startGoogle(t: Test): Promise<Google> {
  const authority = await createAuthority(t.testdir());
  const lab = await runOnLoopback(gcp, { plain: ['metadata'], tls: await authority.issue('gcp', ['127.0.0.1']) });
  t.teardown(lab.stop);
  return {
    lab,
    settings: {
      clouds: ['gce'],
      config: { gcp: { endpoints: { compute: lab.url('compute') } } },
      env: {
        GCE_METADATA_HOST: lab.url('metadata').replace('http://', ''),
        SSL_CERT_FILE: authority.certificateFile,
      },
    },
  };
}

function hasId(id: string): (node: Node) => boolean {
  return ({ metadata }) => metadata.annotations?.[keys.instanceId] === id;
}

function providerIdOf(instance: ComputeInstance): string {
  return `gce://${keyOf(instance)}`;
}

/** In one zone if the number is even, else in the other. */
function instanceOf(number: number): ComputeInstance {
  const zone = number % 2 === 0 ? 'us-central1-b' : 'us-central1-a';
  const [instance] = Object.values(computeFleetOf({ count: 1, project: 'lab-project', zones: [zone], number }));
  if (instance === undefined) throw new Error('a fleet of one has an instance');
  return instance;
}

function isShutDown({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown');
}

/** Until this instance was requested so many times more. */
async function untilLookedUp(lab: LabCloud<GcpState>, { name }: ComputeInstance, times: number): Promise<void> {
  const count = async (): Promise<number> =>
    (await lab.requests()).filter(({ service, path }) => service === 'compute' && path.includes(`/instances/${name}?`))
      .length;
  const before = await count();
  await waitUntil({ what: `${name} is looked up ${times} times`, withinMs: 20_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}
