import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createAuthority } from '../../../lab/authority.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../../lab/clouds/loopback.ts';
import { openstack } from '../../../lab/clouds/openstack/cloud.ts';
import { portOf, serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import type { LabServer } from '../../../lab/clouds/openstack/server.ts';
import {
  labCredentialId,
  labCredentialSecret,
  labProjectId,
  labRegion,
  otherProjectId,
} from '../../../lab/clouds/openstack/state.ts';
import type { OpenstackState } from '../../../lab/clouds/openstack/state.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { quickFlags, startController, untilLogged } from './controller-process.ts';
import type { ControllerProcessSettings } from './controller-process.ts';
import { deletionsBy, isInitialised, namesOf, readNode, register, setReady, untilDeleted, untilNode } from './nodes.ts';
import { onCluster } from './on-cluster.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };

await onCluster('Nodes on OpenStack', async (t, environment) => {
  const { lab, settings } = await startOpenstack(t);
  const servers = Object.values(serverFleetOf({ count: 5, projectId: labProjectId, number: 0 }).servers);
  const [awake, halted, silent, lost, plain] = servers as [LabServer, LabServer, LabServer, LabServer, LabServer];
  const floating = { address: '192.0.2.7', type: 'floating' as const };
  const named = {
    ...plain,
    name: 'node.with.dots',
    addresses: { nodes: [...(plain.addresses['nodes'] ?? []), floating] },
  };
  await lab.update({
    servers: Object.fromEntries([...servers, named].map((each) => [each.id, each])),
    ports: Object.fromEntries(servers.map(portOf).map((each) => [each.id, each])),
  });
  for (const { id, name } of [awake, halted, silent, lost]) {
    await register(environment, { name, providerID: `openstack:///${id}`, isReady: true, isNew: false });
  }
  await register(environment, { name: named.name, isReady: true, isNew: true });
  // The agent of another project wrote its label, and no scope has credentials of that project.
  const foreign = 'of-another-project';
  await register(environment, {
    name: foreign,
    providerID: 'openstack:///b0000000-0000-4000-8000-999999999999',
    isReady: false,
    isNew: false,
    labels: { [keys.openstackProject]: otherProjectId },
  });
  const { output } = await startController(environment, { deletion, flags: quickFlags, ...settings });

  await t.test('a new one is initialised by its name, with its floating address', async (t) => {
    const node = await untilNode(environment, named.name, 'initialised', isInitialised);
    t.equal(node.spec.providerID, `openstack:///${named.id}`);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': named.flavor,
      'topology.kubernetes.io/region': labRegion,
      'topology.kubernetes.io/zone': named.zone,
      [keys.openstackProject]: labProjectId,
    });
    t.match(node.status.addresses, [{ type: 'InternalIP' }, { type: 'ExternalIP', address: '192.0.2.7' }]);
  });

  await t.test('Nova is away, then Keystone: nothing is deleted', async (t) => {
    for (const service of ['nova', 'keystone']) {
      await lab.addFault({ service, kind: 'status', status: 503 });
      await endTokens(lab);
      await setReady(environment, silent.name, false);
      await untilLookedUp(lab, service, 3);
      await lab.clearFaults();
      t.ok(await readNode(environment, silent.name), service);
    }
  });

  await t.test('a stopped one is tainted, and the taint goes when it runs again', async () => {
    await setReady(environment, halted.name, false);
    await lab.update({ servers: { [halted.id]: { ...halted, status: 'SHUTOFF' } } });
    await untilNode(environment, halted.name, 'tainted', isShutDown);
    await lab.update({ servers: { [halted.id]: halted } });
    await untilNode(environment, halted.name, 'without the taint', (node) => !isShutDown(node));
  });

  await t.test('the Node of a deleted one is deleted, and no other', async (t) => {
    await untilNode(
      environment,
      lost.name,
      'was found',
      ({ metadata }) => keys.openstackProject in (metadata.labels ?? {}),
    );
    await setReady(environment, lost.name, false);
    await lab.update({ behaviour: { hiddenFromShow: [lost.id], leftOutOfLists: [lost.id] } });
    await untilDeleted(environment, lost.name);
    await untilLogged(output, /"Node deleted" .*itemNotFound: Instance .* could not be found/, 20_000);
    t.strictSame(namesOf(await deletionsBy(environment)), [lost.name]);
    for (const name of [awake.name, halted.name, silent.name, foreign]) t.ok(await readNode(environment, name), name);
  });

  t.notOk(showsSecret(output()));
});

interface Openstack {
  readonly lab: LabCloud<OpenstackState>;
  readonly settings: Pick<ControllerProcessSettings, 'clouds' | 'config'>;
}

/** With an application credential in clouds.yaml, its secret in secure.yaml, and a private authority. */
async function startOpenstack(t: Test): Promise<Openstack> {
  const directory = t.testdir();
  const authority = await createAuthority(directory);
  const lab = await runOnLoopback(openstack, { plain: [], tls: await authority.issue('openstack', ['127.0.0.1']) });
  t.teardown(lab.stop);
  const endpoints = { compute: `${lab.url('nova')}/v2.1`, network: lab.url('neutron') };
  await lab.update({ regions: { [labRegion]: endpoints } });
  const auth = { auth_url: lab.url('keystone'), application_credential_id: labCredentialId };
  const entry = { auth_type: 'v3applicationcredential', auth, cacert: authority.certificateFile };
  const secret = { auth: { application_credential_secret: labCredentialSecret } };
  const cloudsFile = join(directory, 'clouds.yaml');
  await writeFile(cloudsFile, JSON.stringify({ clouds: { lab: entry } }));
  await writeFile(join(directory, 'secure.yaml'), JSON.stringify({ clouds: { lab: secret } }));
  return { lab, settings: { clouds: ['openstack'], config: { openstack: { cloudsFile } } } };
}

async function endTokens(lab: LabCloud<OpenstackState>): Promise<void> {
  const { tokens } = await lab.state();
  const ended = Object.entries(tokens).map(([token, each]) => [token, { ...each, expiresAtMs: 1 }] as const);
  await lab.update({ tokens: Object.fromEntries(ended) });
}

async function untilLookedUp(lab: LabCloud<OpenstackState>, service: string, times: number): Promise<void> {
  const count = async (): Promise<number> => (await lab.requests()).filter((each) => each.service === service).length;
  const before = await count();
  await waitUntil({ what: `${service} is asked ${times} times`, withinMs: 20_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}

function isShutDown({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === 'node.cloudprovider.kubernetes.io/shutdown');
}
