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
import { quickFlags, startController } from './controller-process.ts';
import type { ControllerProcessSettings } from './controller-process.ts';
import { deletionsBy, isInitialised, namesOf, readNode, register, setReady, untilDeleted, untilNode } from './nodes.ts';
import { onCluster } from './on-cluster.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };
const zones = ['us-central1-a', 'us-central1-b'];
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';

await onCluster('Nodes on Google Cloud', async (t, environment) => {
  const { lab, settings } = await startGoogle(t);
  const fleet = computeFleetOf({ count: 6, project: 'lab-project', zones, number: 0 });
  await lab.update({ computeInstances: fleet });
  const [byName, awake, lost, halted, silent, reused] = Object.values(fleet);
  if (!byName || !awake || !lost || !halted || !silent || !reused) throw new Error('a fleet of six has six instances');
  const known = [awake, lost, halted, silent, reused];
  for (const each of known) await register(environment, { ...settingsOf(each), isReady: true, isNew: false });
  await register(environment, { name: `${byName.name}.c.lab-project.internal`, isReady: true, isNew: true });
  await startController(environment, { deletion, flags: quickFlags, ...settings });

  await t.test('a new one is initialised by its name', async (t) => {
    const node = await untilNode(environment, `${byName.name}.c.lab-project.internal`, 'initialised', isInitialised);
    t.equal(node.spec.providerID, providerIdOf(byName));
    t.equal(node.metadata.annotations?.[keys.instanceId], byName.id);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': byName.machineType,
      'topology.kubernetes.io/region': 'us-central1',
      'topology.kubernetes.io/zone': byName.zone,
    });
    t.match(node.status.addresses, [{ type: 'InternalIP', address: byName.interfaces[0]?.ip }]);
  });

  await t.test('a known one gets the id of its instance', async (t) => {
    const hasId = ({ metadata }: Node): boolean => metadata.annotations?.[keys.instanceId] === reused.id;
    t.ok(await untilNode(environment, reused.name, 'has the id', hasId));
  });

  await t.test('a stopped one is tainted, and not deleted', async (t) => {
    await lab.update({ computeInstances: { [keyOf(halted)]: { ...halted, status: 'TERMINATED' } } });
    await setReady(environment, halted.name, false);
    const isTainted = ({ spec }: Node): boolean => (spec.taints ?? []).some(({ key }) => key === shutdown);
    t.ok(await untilNode(environment, halted.name, 'tainted', isTainted));
  });

  await t.test(
    'the name of another instance: its kubelet has not taken the Node over, so nothing happens',
    async (t) => {
      await lab.update({ computeInstances: { [keyOf(reused)]: { ...reused, id: '7' } } });
      await setReady(environment, reused.name, false);
      await untilLookedUp(lab, reused, 5);
      t.ok(await readNode(environment, reused.name));
    },
  );

  await t.test('a zone that cannot be reached deletes nothing', async (t) => {
    await lab.update({ compute: { unreachableZones: [silent.zone] } });
    await setReady(environment, silent.name, false);
    await untilLookedUp(lab, silent, 3);
    await lab.update({ compute: { unreachableZones: [] } });
    t.ok(await readNode(environment, silent.name));
  });

  await t.test('one that does not exist any more is deleted, and no other', async (t) => {
    await lab.update({ compute: { hiddenFromGet: [keyOf(lost)], leftOutOfLists: [keyOf(lost)] } });
    await setReady(environment, lost.name, false);
    await untilDeleted(environment, lost.name);
    t.strictSame(namesOf(await deletionsBy(environment)), [lost.name]);
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

function providerIdOf(instance: ComputeInstance): string {
  return `gce://${keyOf(instance)}`;
}

function settingsOf(instance: ComputeInstance): { readonly name: string; readonly providerID: string } {
  return { name: instance.name, providerID: providerIdOf(instance) };
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
