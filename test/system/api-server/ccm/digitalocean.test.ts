import type { Test } from 'tap';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createAuthority } from '../../../lab/authority.ts';
import { digitalocean } from '../../../lab/clouds/digitalocean/cloud.ts';
import { labDroplet, labToken } from '../../../lab/clouds/digitalocean/state.ts';
import type { DigitaloceanState, LabDroplet } from '../../../lab/clouds/digitalocean/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../../lab/clouds/loopback.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { quickFlags, startController, untilLogged } from './controller-process.ts';
import type { ControllerProcessSettings } from './controller-process.ts';
import { deletionsBy, isInitialised, namesOf, readNode, register, setReady, untilDeleted, untilNode } from './nodes.ts';
import { onCluster } from './on-cluster.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };

await onCluster('Nodes on DigitalOcean', async (t, environment) => {
  const { lab, settings } = await startDigitalocean(t);
  const [awake, halted, silentGpu, lost, fresh] = [
    dropletOf(1),
    dropletOf(2),
    dropletOf(3),
    dropletOf(4),
    dropletOf(5),
  ];
  const gpu = { ...silentGpu, isGpu: true };
  for (const each of [awake, halted, gpu, lost, fresh]) await lab.update({ droplets: { [each.id]: each } });
  for (const { name, id } of [awake, halted, gpu, lost]) {
    await register(environment, { name, providerID: `digitalocean://${id}`, isReady: true, isNew: false });
  }
  await register(environment, { name: fresh.name, isReady: true, isNew: true });
  const { output } = await startController(environment, { deletion, flags: quickFlags, ...settings });

  await t.test('a new one is initialised by its name', async (t) => {
    const node = await untilNode(environment, fresh.name, 'initialised', isInitialised);
    t.equal(node.spec.providerID, `digitalocean://${fresh.id}`);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': fresh.size,
      'topology.kubernetes.io/region': fresh.region,
    });
    t.match(node.status.addresses, [{ type: 'InternalIP', address: fresh.privateIpv4 }]);
  });

  await t.test('one that is off: a taint, and no deletion', async () => {
    await lab.update({ droplets: { [halted.id]: { ...halted, status: 'off' } } });
    await setReady(environment, halted.name, false);
    await untilNode(environment, halted.name, 'tainted', isShutDown);
  });

  await t.test(
    'a GPU Droplet, which the usual list does not have, keeps its Node; a deleted one does not',
    async (t) => {
      await untilNode(
        environment,
        lost.name,
        'was found',
        ({ metadata }) => 'polycloud.dev/digitalocean-vpc' in (metadata.labels ?? {}),
      );
      await lab.update({ droplets: { [lost.id]: { ...lost, team: 'none' } } });
      for (const { name } of [gpu, lost]) await setReady(environment, name, false);
      await untilRequested(lab, gpu, 5);
      await untilDeleted(environment, lost.name);
      await untilLogged(output, /"Node deleted" .*was not found/, 20_000);
      t.ok(await readNode(environment, gpu.name));
      t.ok(await readNode(environment, awake.name));
      t.strictSame(namesOf(await deletionsBy(environment)), [lost.name]);
    },
  );
});

interface Digitalocean {
  readonly lab: LabCloud<DigitaloceanState>;
  readonly settings: Pick<ControllerProcessSettings, 'clouds' | 'config' | 'env'>;
}

async function startDigitalocean(t: Test): Promise<Digitalocean> {
  const authority = await createAuthority(t.testdir());
  const tls = await authority.issue('digitalocean', ['127.0.0.1']);
  const lab = await runOnLoopback(digitalocean, { plain: ['metadata'], tls });
  t.teardown(lab.stop);
  return {
    lab,
    settings: {
      clouds: ['digitalocean'],
      config: { digitalocean: { endpoint: lab.url('api') } },
      env: { DO_ACCESS_TOKEN: labToken, SSL_CERT_FILE: authority.certificateFile },
    },
  };
}

function dropletOf(number: number): LabDroplet {
  return { ...labDroplet, id: number, name: `droplet-${number}`, privateIpv4: `10.132.0.${number}` };
}

function isShutDown({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown');
}

/** Until this Droplet was requested by its id so many times more. */
async function untilRequested(lab: LabCloud<DigitaloceanState>, { id }: LabDroplet, times: number): Promise<void> {
  const count = async (): Promise<number> =>
    (await lab.requests()).filter(({ path }) => path === `/v2/droplets/${id}`).length;
  const before = await count();
  await waitUntil({ what: `${id} is requested ${times} times`, withinMs: 20_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}
